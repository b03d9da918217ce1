// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/profiles/profile.h"
#include "measure/histogram.h"
#include "sys/thread_pool.h"

/* Durations of the syncs that requests wait for, or of work beside the requests. A gauge also
 * counts in each slice of time how many durations were above a limit: what storage does to one
 * sync, it does to others at the same time. It is complete when all that add to it have ended. */
#define GAUGE_SLICE_NS UINT64_C(100000000)
#define GAUGE_SLICES   6000 /* the last slice also counts everything later */

struct gauge_slice {
    uint32_t count;
    uint32_t above;
};

struct gauge {
    pthread_mutex_t lock;
    uint64_t limit_ns; /* UINT64_MAX: no limit */
    uint64_t begin_ns;
    struct histogram durations;
    struct gauge_slice slices[GAUGE_SLICES];
    unsigned used;          /* number of slices up to the last one with a duration */
    uint64_t last_above_ns; /* when the last duration above the limit ended; 0: there is none */
    bool outlasts_load;     /* set by gauge_end() */
};

/* Begins the slices of a gauge of zeros; adds a duration that ended at end_ns, by clock_ns(). */
void gauge_init(struct gauge *g, uint64_t limit_ns);
void gauge_add(struct gauge *g, uint64_t duration_ns, uint64_t end_ns);

/* Ends a gauge that is no longer in use. A duration outlasts the load, which ended at load_end_ns,
 * if it is above the limit and ended more than GAUGE_SLICE_NS later: it held up everything that was
 * to come, so how many durations it stands for is unknown. */
void gauge_end(struct gauge *g, uint64_t load_end_ns);

/* Appends a gauge that has ended: its slices follow those of `whole`, which may be all zeros. */
void gauge_append(struct gauge *whole, const struct gauge *part);

/* Group commit: a thread that finds no sync in progress stores its record at once. Records that
 * arrive during a sync wait for the next batch. That batch is closed when the sync ends, and one of
 * its threads then stores it for all. If clients do nothing else, and a sync takes S, one client
 * makes 1/S commits per second, and N clients make N/(2S). The rest begins with zeros. */
struct commit_group {
    /* Stores `records` records and syncs them. *sync_ns becomes the duration of the sync. Returns 0
     * or a positive errno, after which no commit succeeds. Only one thread at a time calls it. */
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

/* Commits a record, and returns when it is durable. *sync_ns becomes the duration of its batch's
 * sync, or of a later one if that has already ended. Returns 0 or a positive errno. */
int commit_group_join(struct commit_group *g, uint64_t *sync_ns);

/* Ends the work beside the requests, after the last of these, and waits for it. The load ended at
 * load_end_ns, by clock_ns(). Returns 0, or a negative errno with what ended the run in e. */
int profile_target_end(void *shared, uint64_t load_end_ns, struct err *e);

/* A limit's gauge: complete after profile_target_end(), and there until the target is closed. */
const struct gauge *profile_target_gauge(const void *shared, uint32_t on);

/* Removes all files, after profile_target_end(). The gauges stay. */
int profile_target_finish(void *shared, struct err *e);
