#ifndef BONNIE_RIG_H
#define BONNIE_RIG_H

#include "board.h"
#include "contents.h"
#include "coordinate.h"
#include "dropper.h"
#include "measure/device.h"
#include "measure/place.h"
#include "pattern.h"
#include "plan.h"
#include "progress.h"
#include "scratch.h"
#include "worker.h"
#include "workloads/workload.h"

/* What all phases of all runs work with: made once, and taken down at the end. */
struct rig {
    const struct plan *plan;
    struct dropper *dropper;
    struct coordinator *coordinator;
    struct progress progress;
    struct scratch scratch;
    struct place place;        /* where that lies */
    struct device_set devices; /* and on which devices */
    struct pattern pattern;
    struct contents contents;
    struct board board;
    struct pool pool;
    struct work *work;    /* one for each worker */
    struct io_file *data; /* the data file of each, as it is open at present */
    struct tally total;   /* what was counted and found in the present phase */
    uint64_t damaged;     /* units, in all phases */
};

/*
 * Makes the scratch directory, the buffers and the workers. Refuses when the filesystem has too
 * little room for the plan, or the engine or direct I/O do not work there. The other objects must
 * outlive the rig. Returns 0 or a negative errno; after a failure there is nothing to close.
 */
int rig_open(struct rig *r, const struct plan *p, struct dropper *dropper,
             struct coordinator *coordinator, struct err *e);

/* Ends the workers and removes all that was made. */
int rig_close(struct rig *r, struct err *e);

#endif
