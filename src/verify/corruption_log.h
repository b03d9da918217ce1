#ifndef VERIFY_CORRUPTION_LOG_H
#define VERIFY_CORRUPTION_LOG_H

#include "util/err.h"
#include "verify/contents.h"

/*
 * The corruption that the workers of a phase have found: an entry for each worker, in memory that
 * processes share.
 */
struct corruption_log {
    struct corruption *workers;
    unsigned room;
};

/* Opens a log with room for `room` workers. Returns 0, or a negative errno with a line in e. */
int corruption_log_open(struct corruption_log *log, unsigned room, struct err *e);

void corruption_log_close(struct corruption_log *log);

/* Empties all entries. */
void corruption_log_begin(struct corruption_log *log);

/* Adds up what all workers have found. */
void corruption_log_sum(const struct corruption_log *log, struct corruption *sum);

#endif
