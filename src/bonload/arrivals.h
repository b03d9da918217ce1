#ifndef BONLOAD_ARRIVALS_H
#define BONLOAD_ARRIVALS_H

#include <stdatomic.h>
#include <stdint.h>

#include "bonload/words.h"

/*
 * When the requests of a rate are due: a schedule that depends on nothing that happens to them.
 * Whoever is free takes the next ticket; no thread hands them out. Times are those of clock_ns().
 */
struct arrivals {
    enum arrival how;
    uint64_t start_ns;
    uint64_t rate;            /* billionths of requests per second */
    uint64_t key;             /* of the random gaps */
    _Atomic uint64_t taken;   /* number of tickets */
    _Atomic uint64_t next_ns; /* of random gaps: when the next request is due */
};

/* Begins a schedule: with constant gaps the first request is due at start_ns, with exponential ones
 * after the first gap. rate must not be 0. */
void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns);

/* Takes the next ticket; returns the time at which its request is due. Safe in threads. */
uint64_t arrivals_take(struct arrivals *a);

/* Where somebody who counts has got to in a schedule; zeroed at first. */
struct arrivals_cursor {
    uint64_t start_ns; /* of the schedule that it is for */
    uint64_t next_ns;
    uint64_t count;
};

/*
 * Number of requests that were due at a time or before. A cursor that was used for another schedule
 * begins again; the time must not go back.
 */
uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns);

/* The time when request n (from 0 on) of constant gaps is due. */
uint64_t arrivals_at(const struct arrivals *a, uint64_t n);

#endif
