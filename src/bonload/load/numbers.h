#ifndef BONLOAD_LOAD_NUMBERS_H
#define BONLOAD_LOAD_NUMBERS_H

#include <stdint.h>

#include "bonload/load/run.h"

/* The numbers that a driver has taken, but not used. */
struct numbers {
    uint64_t next;
    uint64_t count;
};

/*
 * Gives a request its number, which determines its name. Where names do not matter, as many as
 * `batch` numbers are taken at once.
 */
void numbers_give(struct numbers *n, struct run *run, struct request *r, uint64_t batch);

/* Updates the ledgers after a write. */
void numbers_settle(struct run *run, const struct request *r, uint64_t now_ns);

/* Called at the end: nothing is written under the numbers that are left. */
void numbers_leave(struct numbers *n, struct run *run, enum load_kind kind);

#endif
