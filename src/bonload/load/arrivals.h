#ifndef BONLOAD_LOAD_ARRIVALS_H
#define BONLOAD_LOAD_ARRIVALS_H

#include <stdatomic.h>
#include <stdint.h>

#include "bonload/plan/course.h"
#include "bonload/plan/words.h"

/*
 * When the requests of a rate are due: a schedule that depends on nothing that happens to them. Any
 * thread that is free takes the next ticket; nobody distributes them. Times are those of
 * clock_ns().
 */
struct arrivals {
    enum arrival how;
    uint64_t start_ns;
    uint64_t rate;               /* billionths of requests per second; of a course: the largest */
    const struct course *course; /* NULL: the rate does not change */
    double each;                 /* of a course: its requests for each one of the schedule, */
    double first;                /* and before the first one */
    uint64_t key;                /* key of the random gaps */
    _Atomic uint64_t taken;      /* number of tickets */
    _Atomic uint64_t next_ns;    /* with random gaps: when the next request is due */
};

/* Begins a schedule: with constant gaps the first request is due at start_ns, with exponential ones
 * after the first gap. rate must not be 0. */
void arrivals_begin(struct arrivals *a, enum arrival how, uint64_t rate, uint64_t seed,
                    uint64_t start_ns);

/*
 * To be called before arrivals_begin(): the schedule has every each-th request of a course,
 * beginning with that number.
 */
void arrivals_follow(struct arrivals *a, const struct course *course, double each, double first);

/* The rate at a time, in requests per second. */
double arrivals_rate(const struct arrivals *a, uint64_t now_ns);

/* Takes the next ticket; returns the time at which its request is due. Safe in threads. */
uint64_t arrivals_take(struct arrivals *a);

/* The position of a counting reader in a schedule; zeroed at first. */
struct arrivals_cursor {
    uint64_t start_ns; /* start of the schedule that it belongs to */
    uint64_t next_ns;
    uint64_t count;
};

/*
 * The number of requests due up to that time. A cursor from another schedule starts again; the time
 * must not decrease.
 */
uint64_t arrivals_due(const struct arrivals *a, struct arrivals_cursor *cursor, uint64_t now_ns);

/* When request n (from 0) is due, with constant gaps. */
uint64_t arrivals_at(const struct arrivals *a, uint64_t n);

#endif
