#ifndef BONNIE_GATHERING_H
#define BONNIE_GATHERING_H

#include <stdint.h>

#include "bonnie/result.h"
#include "measure/cpu.h"
#include "measure/io_limit.h"
#include "measure/op_stats.h"
#include "sync/coordinator.h"
#include "sys/thread_pool.h"
#include "verify/contents.h"

/*
 * Combines the figures of one test on several ranks: rank 0 gathers them, and the time runs from
 * the start of the first to the end of the last, on its own clock. With one rank, the figures stay
 * as they were measured. Functions that return an int return 0 or a negative errno with a line in
 * e.
 */

/* What a rank knows about a test that has ended, besides its operations. Holds no pointers. */
struct test_figures {
    uint64_t cpu_ns;
    struct cpu_demand busiest; /* demand of the busiest worker */
    unsigned cpus;             /* number of CPUs */
    struct device_use device;
    struct cache_use cache;
    struct corruption corruption;
    struct io_limit limit;
};

struct rank_round;

struct gathering {
    struct coordinator *coordinator;
    /* The following are used in rank 0 of several; otherwise they are NULL. */
    struct rank_round *rounds; /* for each rank, its report on the last round */
    unsigned *host_of;         /* for each rank, the index of its host in `hosts` */
    struct host_result *hosts; /* what each host has done in the current test */
    size_t host_count;
    uint64_t start_spread_ns; /* in the current test, as in struct together */
    uint64_t clock_uncertainty_ns;
    void *packed; /* buffer for what a rank sends at the end of a test; NULL: there is one rank */
};

/*
 * Opens g; the coordinator must have joined the ranks. After a failure there is nothing to close.
 */
int gathering_open(struct gathering *g, struct coordinator *coordinator, struct err *e);
void gathering_close(struct gathering *g);

/* Begins a test. */
void gathering_begin(struct gathering *g);

/* The times of one round of a test, for all ranks together. */
struct round_times {
    uint64_t elapsed_ns;
    uint64_t preparing_ns; /* the longest time that a rank took to prepare the rounds so far */
};

/* Ends a round in which this rank's work took `times`: stores in *round the times of all ranks. */
int gathering_end_round(struct gathering *g, const struct task_times *times,
                        struct round_times *round, struct err *e);

/*
 * Ends the test. In rank 0, *figures and *total become those of all ranks, and *together is filled;
 * the caller owns what it holds. In other ranks nothing changes.
 */
int gathering_end_test(struct gathering *g, struct test_figures *figures, struct op_stats *total,
                       struct together *together, struct err *e);

#endif
