// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "bonload/plan/plan.h"

/*
 * A schedule: when the requests of a rate are due, no matter what happens to them. Any free thread
 * takes the next ticket; no thread hands tickets out. Times are those of clock_ns().
 */
struct arrivals {
    /*
     * Set before arrivals_begin(): the schedule consists of every `each`-th request of a curve
     * (NULL: the rate does not change), starting with number `first`.
     */
    const struct rate_curve *curve;
    double each;
    double first;

    enum arrival how;
    uint64_t start_ns;
    uint64_t rate;            /* billionths of requests per second; of a curve, the largest rate */
    uint64_t key;             /* key of the random gaps */
    _Atomic uint64_t taken;   /* number of tickets taken */
    _Atomic uint64_t next_ns; /* with random gaps, when the next request is due */
};

/*
 * Begins a schedule. With constant gaps the first request is due at start_ns, with exponential gaps
 * after the first gap. `rate` must not be 0.
 */
void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns);

/* The rate at the time now_ns, in requests per second. */
double arrivals_rate(const struct arrivals *a, uint64_t now_ns);

/* Takes the next ticket, and returns when its request is due. Safe in threads. */
uint64_t arrivals_take(struct arrivals *a);

/* How far a reader has counted a schedule's requests. Must be zeroed at first. */
struct arrivals_cursor {
    uint64_t start_ns; /* start of the cursor's schedule; with another one, it starts again */
    uint64_t next_ns;
    uint64_t count;
};

/* Number of requests that are due up to now_ns, which must not decrease. */
uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns);

/* When request n, counted from 0, is due with constant gaps. */
uint64_t arrivals_at(const struct arrivals *a, uint64_t n);
