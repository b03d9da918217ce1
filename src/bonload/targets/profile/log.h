#ifndef BONLOAD_TARGETS_PROFILE_LOG_H
#define BONLOAD_TARGETS_PROFILE_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include "bonload/targets/profile/gauge.h"
#include "bonload/targets/profile/group.h"
#include "bonload/targets/profile/storage.h"

/*
 * A log in segments. A full segment is followed by the next one, and the last one by the first. A
 * separate thread refreshes each segment before its next turn, unless the program recycles segments
 * as they are.
 */
#define LOG_SEGMENTS 8

struct log {
    const struct storage *storage;
    const struct profile_file *file;
    unsigned first_number; /* number of the first segment, for the stamps of its contents */
    uint64_t record_bytes;
    bool syncs; /* syncs after each write */
    struct gauge *gauge;
    struct commit_group group;

    int fds[LOG_SEGMENTS];
    _Atomic bool is_fresh[LOG_SEGMENTS]; /* the segment is ready for its next turn */
    _Atomic unsigned segment;            /* the current segment */
    uint64_t at;                         /* end of the records in the current segment */
    /* generation of the contents, which grows with each turn of the first segment */
    uint64_t round;
    unsigned char *buffer;
    size_t buffer_bytes;

    /* happens when a segment begins or is refreshed, and when the log closes */
    struct event turned;
    _Atomic bool is_closing;
    _Atomic int keeper_failure;
    pthread_t keeper;
    bool has_keeper;
};

/*
 * Makes the segments of a log. The caller has set l->record_bytes and l->syncs, and all else to 0.
 * The gauge gets the durations of the syncs. Returns 0, or a negative errno with a line in e; the
 * caller may call log_close() in either case.
 */
int log_open(struct log *l, const struct storage *storage, const struct profile_file *file,
             unsigned first_number, struct gauge *gauge, struct err *e);
void log_close(struct log *l);

/*
 * Appends a record, together with all others that have arrived by then. If the log syncs, returns
 * when the record is durable, and *longest_ns grows to the duration of that sync. Returns 0 or a
 * positive errno.
 */
int log_append(struct log *l, uint64_t *longest_ns);

/* The file of the current segment. */
int log_fd(const struct log *l);

#endif
