#ifndef BONNIE_RUN_CONTEXT_H
#define BONNIE_RUN_CONTEXT_H

#include "bonnie/gathering.h"
#include "bonnie/plan.h"
#include "bonnie/workloads/workload.h"
#include "live/progress_lines.h"
#include "live/shared_stats.h"
#include "measure/device.h"
#include "measure/io_limit.h"
#include "measure/mount_info.h"
#include "storage/scratch.h"
#include "sync/coordinator.h"
#include "sys/cache_dropper.h"
#include "sys/thread_pool.h"
#include "verify/contents.h"
#include "verify/pattern.h"

/* Room for a line of each test, and for the number of the run. */
#define FIGURES_SO_FAR (TEST_COUNT * 100 + 40)

/* Random numbers that all ranks of a run have in common. */
struct run_numbers {
    uint64_t first_run;   /* the number that the first run has in stamps; the next ones follow */
    uint64_t directories; /* the names of the ranks' private directories follow from it */
};

struct lent_files;

/* What all phases of all runs work with: made once, and taken down at the end. */
struct run_context {
    const struct plan *plan;
    struct cache_dropper *dropper;
    struct coordinator *coordinator;
    struct progress_lines progress;
    struct scratch scratch;
    struct mount_info mount;   /* where that lies */
    struct device_set devices; /* and on which devices, */
    struct device_facts disks; /* which are these */
    struct io_limit limit;     /* what a control group allows of them */
    struct run_numbers numbers;
    char next_host[RANK_HOST_SIZE]; /* of the next rank, if there are several */
    struct pattern pattern;
    struct contents contents;
    struct shared_stats stats;
    struct corruption_log corruption_log;
    struct thread_pool pool;
    struct work *work;       /* one for each worker */
    struct io_file *data;    /* the data file of each, as it is open at present */
    struct op_stats *total;  /* what was counted in the present phase; too large for a stack */
    uint64_t corrupted;      /* units, in all phases */
    unsigned shift;          /* tests that read work on what the rank that number further wrote */
    struct lent_files *lent; /* of each worker, while they do: its own */
    struct gathering gathering;   /* of the figures of all ranks */
    struct lookout lookout;       /* for news from them, while the workers work */
    char figures[FIGURES_SO_FAR]; /* of the tests of this run that are done, a line for each */
    unsigned unsteady;            /* tests of all runs that were to become steady and did not */
};

/*
 * Makes the scratch directory, the buffers and the workers. Refuses when the filesystem has too
 * little room for the plan, or the engine or direct I/O do not work there. The other objects must
 * outlive the context. Returns 0 or a negative errno; after a failure there is nothing to close.
 */
int run_context_open(struct run_context *r, const struct plan *p, struct cache_dropper *dropper,
                     struct coordinator *coordinator, struct err *e);

/*
 * Begins run number `index`, counted from 0: it gets places, names and sizes of its own, which its
 * index and the plan's seed decide, and stamps that no other run has. All workers must be parked.
 */
void run_context_begin_run(struct run_context *r, uint64_t index);

/* What the main thread does while others work; NULL: nothing. */
static inline const struct lookout *run_context_lookout(const struct run_context *r)
{
    return r->plan->ranks > 1 ? &r->lookout : NULL;
}

/* Refuses a plan that needs more room than there is. */
int run_context_check_space(const struct plan *p, const struct scratch *s, struct err *e);

/*
 * Ends the workers and removes all that was made. rc is what the run has come to. After a signal, e
 * says only that: what could not be removed is told on standard error then.
 */
int run_context_close(struct run_context *r, int rc, struct err *e);

#endif
