// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonload/targets/profile/gauge.h"
#include "bonload/targets/profile/storage.h"
#include "sys/thread_pool.h"

/*
 * Group commit: a thread that finds no sync in progress stores its record at once. Records that
 * arrive during a sync wait for the next batch. That batch is closed when the sync ends, and one of
 * its threads then stores it for all. If clients do nothing else, and a sync takes S, one client
 * makes 1/S commits per second, and N clients make N/(2S).
 */
struct commit_group {
    /*
     * Stores `records` records and syncs them. *sync_ns becomes the duration of the sync. Returns 0
     * or a positive errno; after an errno no commit succeeds. Only one thread at a time calls this.
     */
    int (*store)(void *context, uint64_t records, uint64_t *sync_ns);
    void *context;

    /* protects the fields up to is_handed; no thread holds it while it stores */
    pthread_mutex_t lock;
    uint64_t waiting;         /* number of records in the next batch */
    uint64_t records;         /* number of records in the current batch */
    uint64_t batch;           /* number of the current batch */
    bool is_busy;             /* a thread stores the current batch, or is about to */
    bool is_handed;           /* the first of the batch's threads to wake up must store it */
    _Atomic uint64_t durable; /* number of the batch that was stored last */
    _Atomic uint64_t sync_ns; /* duration of that batch's sync */
    _Atomic int failure;
    struct event ended; /* happens when a batch has been stored */
};

void commit_group_open(struct commit_group *g,
                       int (*store)(void *context, uint64_t records, uint64_t *sync_ns),
                       void *context);
void commit_group_close(struct commit_group *g);

/*
 * Commits a record, and returns when it is durable. *sync_ns becomes the duration of its batch's
 * sync, or of a later one if that has already ended. Returns 0 or a positive errno.
 */
int commit_group_join(struct commit_group *g, uint64_t *sync_ns);

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
