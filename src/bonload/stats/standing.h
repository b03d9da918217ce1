#ifndef BONLOAD_STATS_STANDING_H
#define BONLOAD_STATS_STANDING_H

#include <stdint.h>

#include "bonload/stats/recorder.h"

/*
 * The standing of a load, on one rank or on all together, and rank 0's order about it, which all
 * ranks carry out. Neither holds pointers: they travel between hosts.
 */

/* Numbers of requests of one kind since the load began: those begun and those ended. */
struct progress {
    uint64_t begun;
    uint64_t ended;
};

struct standing {
    struct counts counts[LOAD_KINDS];
    struct progress progress[LOAD_KINDS];
    uint64_t busy;   /* in a pause: number of threads that still have requests in flight */
    uint64_t ended;  /* number of ranks whose load has ended */
    uint64_t behind; /* number of ranks that could not keep their rate, with -stop-on-bad-rate */
};

enum move {
    MOVE_NONE,
    MOVE_WINDOW,    /* the load has settled: requests due from now on are measured */
    MOVE_PAUSE,     /* no request begins until those in flight have ended, which ends the step */
    MOVE_STEP,      /* the step has ended, and `loads` is the next load */
    MOVE_LAST_STEP, /* the step has ended, and no further one follows */
    MOVE_END        /* the load ends */
};

/*
 * A search or a sweep orders MOVE_WINDOW, MOVE_STEP or MOVE_LAST_STEP; steering.h inserts the pause
 * in which requests end.
 */
struct order {
    uint64_t move;              /* enum move */
    uint64_t loads[LOAD_KINDS]; /* for all ranks: threads, or billionths of requests per second */
};

/* The message when something that a rank has sent cannot be decoded. */
#define FIGURES_DAMAGED "the figures of another rank cannot be read"

/* Adds the standing of one rank. */
void standing_add(struct standing *all, const struct standing *one);

#endif
