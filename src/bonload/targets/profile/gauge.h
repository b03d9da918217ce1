// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/histogram.h"

/*
 * Durations of something that happens again and again: the syncs that requests wait for, or work
 * beside the requests. Besides the distribution, a gauge counts in each slice of time how many
 * durations were above a limit: what storage does to one sync, it does to others at the same time.
 * A gauge is complete only when the work of all threads that add to it has ended.
 */
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

/* Makes a gauge of all zeros ready for gauge_add(). Its slices begin now. */
void gauge_init(struct gauge *g, uint64_t limit_ns);

/* Clears the gauge. Its slices begin again now. */
void gauge_restart(struct gauge *g);

/* Adds a duration that ended at end_ns, by clock_ns(). */
void gauge_add(struct gauge *g, uint64_t duration_ns, uint64_t end_ns);

/*
 * Ends a gauge that is no longer in use. A duration outlasts the load, which ended at load_end_ns,
 * if it is above the limit and ended more than GAUGE_SLICE_NS later: it held up everything that was
 * to come, so how many durations it stands for is unknown.
 */
void gauge_end(struct gauge *g, uint64_t load_end_ns);

/*
 * Appends a gauge that has ended: its slices follow those of `whole`, which may be all zeros.
 */
void gauge_append(struct gauge *whole, const struct gauge *part);
