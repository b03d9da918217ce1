#ifndef BONLOAD_STATS_STANDING_H
#define BONLOAD_STATS_STANDING_H

#include <stdint.h>

#include "bonload/stats/recorder.h"
#include "measure/busy.h"

/*
 * How a load stands, on one rank or on all ranks together, and rank 0's order about it, which all
 * ranks carry out. Neither has pointers, because they travel between hosts.
 */

/* Numbers of one kind's requests that have begun and ended since the load began. */
struct progress {
    uint64_t begun;
    uint64_t ended;
};

struct standing {
    struct counts counts[LOAD_KINDS];
    struct progress progress[LOAD_KINDS];
    uint64_t busy;  /* in a pause: number of threads that still have requests in flight */
    uint64_t ended; /* number of ranks whose load has ended */
    struct busy_evidence machine; /* in a pause: what others did during the step */
    uint64_t disturbed;           /* number of ranks on whose machine others were busy */
    uint64_t behind; /* number of ranks that could not keep their rate, with -stop-on-bad-rate */
};

enum move {
    MOVE_NONE,
    MOVE_WINDOW,    /* the load has settled; requests that are due from now on are measured */
    MOVE_PAUSE,     /* requests stop beginning, and those in flight end */
    MOVE_STEP,      /* a step has ended; `loads` is the next load */
    MOVE_LAST_STEP, /* the last step has ended */
    MOVE_END        /* the load ends */
};

struct order {
    uint64_t move;              /* an enum move */
    uint64_t loads[LOAD_KINDS]; /* for all ranks: threads, or billionths of requests per second */
};

/* Message for bytes from another rank that cannot be decoded. */
#define FIGURES_DAMAGED "the figures of another rank cannot be read"

#endif
