// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/gathering.h"
#include "bonnie/workloads/workload.h"
#include "sys/cache_dropper.h"
#include "tail/examiner.h"

/* Room for a line for each test, and one with the number of the run. */
#define FIGURES_SO_FAR (TEST_COUNT * 100 + 40)

/* What was begun as root, before the privileges were given up. */
struct helpers {
    struct helper dropper;
    struct tail_trace trace; /* if the plan explains the tail */
};

/* What all phases of all runs share. It is made once, and released at the end. */
struct run_context {
    const struct plan *plan;
    const struct host *host;
    struct helpers *helpers;
    struct coordinator *coordinator;
    struct progress_lines progress;
    struct block_device *device; /* is measured itself; NULL: files in the scratch directory are */
    struct scratch scratch;
    struct storage storage;   /* what is known of the storage below the directory */
    struct io_limit limit;    /* limits that a control group sets on these devices */
    struct {                  /* random numbers that all ranks of a run share */
        uint64_t first_run;   /* number of the first run in stamps; later runs have the next ones */
        uint64_t directories; /* the names of all ranks' private directories derive from this */
    } numbers;
    char next_host[RANK_HOST_SIZE]; /* host of the next rank, if there are several ranks */
    struct pattern pattern;
    struct contents contents;
    struct shared_stats stats;
    struct corruption *corruption; /* one for each entry of stats; processes share them */
    struct thread_pool pool;
    struct work *work;      /* one for each worker */
    struct io_file *data;   /* each worker's data file, with its current descriptor */
    struct op_stats *total; /* counts of the current phase; too large for a stack */
    uint64_t unreadable;    /* number of reads of a device that failed; corrupted has them, too */
    uint64_t corrupted;     /* number of corrupted units in all phases */
    unsigned shift; /* tests that read use what the rank with a number higher by this wrote */
    struct lent_files *lent;     /* each worker's own files while it has those of another rank */
    struct slow_box *slow;       /* one for each worker, if the plan explains the tail */
    struct examiner *examiner;   /* of the current phase; NULL: none */
    struct gathering gathering;  /* combines the figures of all ranks */
    struct poller of_ranks;      /* looks for messages from other ranks */
    const struct poller *poller; /* what the main thread looks for during the work; NULL: nothing */
    double moved_per_second; /* bytes, by the last test that went through all data; 0: none has */
    char figures[FIGURES_SO_FAR]; /* a line for each finished test of this run */
    unsigned unsteady; /* number of tests, in all runs, that had to become steady but did not */
};

/* Refuses a plan that the limits on files, descriptors and processes do not allow. */
int run_context_check_limits(const struct plan *p, struct err *e);

/* Makes the scratch directory or, if `device` is not NULL, opens that; makes buffers and workers.
 * All that it is given must outlive it. Fails, with nothing to close, if the filesystem has too
 * little room for the plan, or if the engine or direct I/O does not work on it. */
int run_context_open(struct run_context *r, struct plan *p, struct block_device *device,
                     struct helpers *helpers, struct coordinator *coordinator, struct err *e);

/* Begins run number `index`, counted from 0, of the plan or another row of the same preset, which
 * has one worker and works on the same data. Offsets, names and sizes derive from the index and the
 * plan's seed; stamps are those of no other run. All workers must be parked. */
void run_context_begin_run(struct run_context *r, const struct plan *p, uint64_t index);

/* While a test of several ranks reads, each works on the files of the rank with a number higher by
 * `shift`, so that the caches of its own host do not help. Each rank lends its files, and what it
 * knows of their contents, which comes back changed, to exactly one other. This lets the workers of
 * this rank work on another rank's data files, or metadata files, and another rank on this one's;
 * or, when the test has ended, gives them back. Every rank must call it, with all files closed.
 * Returns 0, or a negative errno with a line in e. */
int run_context_swap_files(struct run_context *r, bool has_data, bool gives_back, struct err *e);

/* Ends the workers, and removes everything that was made. rc is the result of the run. Returns the
 * first failure of closing, or 0. After a signal, e has only the run's own failure; what could not
 * be removed, and what killed ranks have left, is then reported on standard error. */
int run_context_close(struct run_context *r, int rc, struct err *e);
