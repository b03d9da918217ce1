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
 * How the figures of one test on several ranks become one: rank 0 gathers them, each time from the
 * first start to the last end on its own clock. Where there is one rank, all is as it was measured.
 * Functions that return an int return 0 or a negative errno with a line in e.
 */

/* What a rank knows of a test that has ended, apart from its operations. Holds no pointers. */
struct test_figures {
    uint64_t cpu_ns;
    struct cpu_demand busiest; /* worker */
    unsigned cpus;             /* that there are */
    struct device_use device;
    struct cache_use cache;
    struct corruption corruption;
    struct io_limit limit;
};

struct rank_round;

struct gathering {
    struct coordinator *coordinator;
    /* In rank 0 of several; else NULL. */
    struct rank_round *rounds; /* of each rank, the one that has ended */
    unsigned *host_of;         /* the host of each rank, as an index into */
    struct host_result *hosts; /* what each has done in the present test */
    size_t host_count;
    uint64_t start_spread_ns; /* of the present test, as in struct together */
    uint64_t clock_uncertainty_ns;
    void *packed; /* room for what a rank sends at the end of a test; NULL: there is one rank */
};

/* The ranks of the coordinator must be known. After a failure there is nothing to close. */
int gathering_open(struct gathering *g, struct coordinator *coordinator, struct err *e);
void gathering_close(struct gathering *g);

/* Begins a test. */
void gathering_begin(struct gathering *g);

/* One round of a test, as it was for all ranks. */
struct round_times {
    uint64_t elapsed_ns;
    uint64_t preparing_ns; /* the longest that a rank took for preparing rounds so far */
};

/* A round has ended, in which this rank's work took these times: makes of *round that of all. */
int gathering_end_round(struct gathering *g, const struct task_times *times,
                        struct round_times *round, struct err *e);

/*
 * The test has ended. In rank 0, *figures and *total become those of all ranks, and *together is
 * filled; what it holds belongs to the caller. In the others nothing changes.
 */
int gathering_end_test(struct gathering *g, struct test_figures *figures, struct op_stats *total,
                       struct together *together, struct err *e);

#endif
