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

/* Room for one line per test, and for the number of the run. */
#define FIGURES_SO_FAR (TEST_COUNT * 100 + 40)

/* Random numbers that all ranks of a run share. */
struct run_numbers {
    uint64_t first_run;   /* the number of the first run in stamps; the next runs have the following
                             ones */
    uint64_t directories; /* the names of the ranks' private directories follow from it */
};

/* A worker's own files, while it works on those of another rank. */
struct lent_files {
    bool has_data; /* its data file is another rank's */
    int fd;
    bool has_files; /* its metadata files are another rank's */
    struct file_set files;
};

/* What all phases of all runs share: made once, and released at the end. */
struct run_context {
    const struct plan *plan;
    struct cache_dropper *dropper;
    struct coordinator *coordinator;
    struct progress_lines progress;
    struct scratch scratch;
    struct mount_info mount;   /* the filesystem of the directory */
    struct device_set devices; /* the devices below it */
    struct device_facts disks; /* what those devices are */
    struct io_limit limit;     /* the limits of a control group on them */
    struct run_numbers numbers;
    char next_host[RANK_HOST_SIZE]; /* host of the next rank, if there are several ranks */
    struct pattern pattern;
    struct contents contents;
    struct shared_stats stats;
    struct corruption_log corruption_log;
    struct thread_pool pool;
    struct work *work;      /* one for each worker */
    struct io_file *data;   /* the data file of each worker, as it is open at the moment */
    struct op_stats *total; /* what the current phase has counted; too large for a stack */
    uint64_t corrupted;     /* number of corrupted units in all phases */
    unsigned shift;         /* tests that read use what the rank that many numbers further wrote */
    /* for each worker, its own files while it works on those of another rank */
    struct lent_files *lent;
    struct gathering gathering;   /* combines the figures of all ranks */
    struct lookout lookout;       /* checks for messages from other ranks while the workers work */
    char figures[FIGURES_SO_FAR]; /* a line for each test of this run that is done */
    unsigned unsteady; /* number of tests, in all runs, that had to become steady and did not */
};

/*
 * Makes the scratch directory, the buffers and the workers. Fails when the filesystem has too
 * little room for the plan, or the engine or direct I/O do not work on it. The other objects must
 * outlive the context. Returns 0 or a negative errno; after a failure there is nothing to close.
 */
int run_context_open(struct run_context *r, const struct plan *p, struct cache_dropper *dropper,
                     struct coordinator *coordinator, struct err *e);

/*
 * Begins run number `index`, counted from 0: it gets offsets, names and sizes of its own, which
 * follow from its index and the plan's seed, and stamps that no other run has. All workers must be
 * parked.
 */
void run_context_begin_run(struct run_context *r, uint64_t index);

/* What the main thread does while others work, or NULL. */
static inline const struct lookout *run_context_lookout(const struct run_context *r)
{
    return r->plan->ranks > 1 ? &r->lookout : NULL;
}

/* Gives a worker its own files again, after it worked on another rank's, so that they can be
 * removed. */
void run_context_give_back(struct run_context *r, unsigned worker);

/*
 * Ends the workers and removes everything that was made. rc is the result of the run. After a
 * signal, e only reports that; what could not be removed is then reported on standard error.
 */
int run_context_close(struct run_context *r, int rc, struct err *e);

#endif
