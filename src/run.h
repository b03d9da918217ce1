#ifndef BONNIE_RUN_H
#define BONNIE_RUN_H

#include "coordinate.h"
#include "dropper.h"
#include "pattern.h"
#include "plan.h"
#include "progress.h"
#include "result.h"
#include "scratch.h"
#include "seekers.h"
#include "worker.h"
#include "workloads/workload.h"

/*
 * Walks a plan: each test is one phase, in which the workers prepare, caches are emptied before
 * tests that read, all start together, and what they counted is recorded.
 */
struct run {
    const struct plan *plan;
    struct dropper *dropper;
    struct coordinator *coordinator;
    struct progress progress;
    struct scratch scratch;
    struct pattern pattern;
    struct contents contents;
    struct pool pool;
    struct work *work;        /* one for each worker */
    struct io_file *data;     /* the data file of each, as it is open at present */
    struct seekers *seekers;  /* of the present phase; NULL: it has none */
    struct samples samples;   /* what all of them counted in it */
    struct findings findings; /* and found */
    uint64_t damaged;         /* how much was found in all phases */
};

/*
 * Makes the scratch directory, the buffers and the workers. Refuses when the filesystem has too
 * little room for the plan, or direct I/O needs other chunks. The other objects must outlive the
 * run. Returns 0 or a negative errno; after a failure there is nothing to close.
 */
int run_open(struct run *r, const struct plan *p, struct dropper *dropper,
             struct coordinator *coordinator, struct err *e);

/*
 * Walks the plan once, and fills result. What was read and is damaged is told on standard error; it
 * is counted in the result, and no failure of the walk. Returns 0, or a negative errno (-EINTR
 * after a signal).
 */
int run_once(struct run *r, struct result *result, struct err *e);

/* Ends the workers and removes all that the run made. */
int run_close(struct run *r, struct err *e);

#endif
