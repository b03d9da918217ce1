#ifndef BONLOAD_TARGETS_PROFILE_LOG_H
#define BONLOAD_TARGETS_PROFILE_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include "bonload/targets/profile/gauge.h"
#include "bonload/targets/profile/group.h"
#include "bonload/targets/profile/storage.h"

/*
 * A log in segments: when one is full the next follows, and after the last the first. A segment
 * that is only reserved is reserved again before its turn, by a separate thread.
 */
#define LOG_SEGMENTS 8

struct log {
    const struct storage *storage;
    const struct profile_file *file;
    unsigned first_number; /* number of its first file, for its contents */
    uint64_t record_bytes;
    bool syncs; /* sync after each write */
    struct gauge *gauge;
    struct commit_group group;

    int fds[LOG_SEGMENTS];
    _Atomic bool is_fresh[LOG_SEGMENTS]; /* the segment is ready for its next turn */
    _Atomic unsigned segment;            /* the current segment */
    uint64_t at;                         /* end of the records in it */
    uint64_t round;                      /* generation of the contents */
    unsigned char *buffer;
    size_t buffer_bytes;

    struct event turned; /* signalled when a segment was begun or refreshed, or the log is closed */
    _Atomic bool is_closing;
    _Atomic int keeper_failure;
    pthread_t keeper;
    bool has_keeper;
};

/*
 * Makes the segments of a log for records of that size. The gauge gets the durations of syncs.
 * Returns 0 or a negative errno with a line in e; log_close() may always follow.
 */
int log_open(struct log *l, const struct storage *storage, const struct profile_file *file,
             unsigned first_number, struct gauge *gauge, struct err *e);
void log_close(struct log *l);

/*
 * Appends a record, together with all others that have arrived by then, and, if the log syncs,
 * returns when it is durable; *sync_ns is the duration of that sync. Returns 0 or a positive errno.
 */
int log_append(struct log *l, uint64_t *sync_ns);

/* Syncs what has been appended; 0 or a positive errno. */
int log_sync(struct log *l);

#endif
