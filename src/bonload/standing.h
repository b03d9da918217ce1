#ifndef BONLOAD_STANDING_H
#define BONLOAD_STANDING_H

#include <stdint.h>

#include "bonload/recorder.h"
#include "bonload/run.h"

/*
 * How a load stands, on one rank or on all of them together, and what is to be done about it: rank
 * 0 decides, all do it. Both hold no pointers: they travel between hosts.
 */
struct standing {
    struct counts counts[LOAD_KINDS];
    struct progress progress[LOAD_KINDS];
    uint64_t ended;  /* ranks whose load has come to its end */
    uint64_t behind; /* ranks that could not keep their rate, under -stop-on-bad-rate */
};

enum move {
    MOVE_NONE,
    MOVE_WINDOW,    /* the load has settled: from now on it is measured */
    MOVE_STEP,      /* the step has ended, the next load is `loads` */
    MOVE_LAST_STEP, /* it has ended, and there is no further one */
    MOVE_END        /* the load ends */
};

struct order {
    uint64_t move;              /* enum move */
    uint64_t is_warm;           /* the warming up is over */
    uint64_t loads[LOAD_KINDS]; /* of all ranks: threads, or billionths of requests per second */
};

/* How the load of this process stands, but for its end. */
struct standing standing_of(const struct run *run);

/* Adds that of one rank. */
void standing_add(struct standing *all, const struct standing *one);

#endif
