// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/result.h"
#include "sys/thread_pool.h"

/* Combines the figures of one test on several ranks. Rank 0 gathers them, at a meeting after each
 * lap and at one at the end of the test, where bundles with histograms travel, too. The time runs
 * from the first rank's start to the last one's end, on rank 0's clock. With one rank the figures
 * stay as measured. Functions that return int return 0, or a negative errno with a line in e. */

/* What a rank knows about a test that has ended, apart from its operations. It travels between
 * hosts, so there is no pointer in it yet: the evidence lacks what the test and its place were. */
struct test_figures {
    struct evidence evidence;
    struct cache_use cache;
    struct corruption corruption;
};

/* The times of a lap, for all ranks together. */
struct lap_times {
    uint64_t elapsed_ns;
    uint64_t preparing_ns; /* longest time that a rank has spent on preparing the laps so far */
};

struct gathering {
    struct coordinator *coordinator;
    /* Only rank 0 of several ranks uses these; in other ranks they are NULL. */
    struct rank_lap *laps;        /* for each rank, its report on the last lap */
    struct host_result *hosts;    /* in the current test, each with the index of its first rank */
    struct rank_test *received;   /* what one rank has sent after a test */
    struct lap_times lap;         /* the last one */
    struct test_figures *figures; /* those of all ranks, at the end of the test */
    struct op_stats *total;
    uint64_t start_spread_ns; /* in the current test, as in struct joint_test */
    uint64_t clock_uncertainty_ns;
};

/* The coordinator must have joined the ranks. After a failure there is nothing to close. */
int gathering_open(struct gathering *g, struct coordinator *coordinator, struct err *e);
void gathering_close(struct gathering *g);
void gathering_begin(struct gathering *g); /* a test */

/* Ends a lap in which this rank's work took `times`. Stores the times of all ranks in *lap,
 * whose preparing_ns the caller has set to this rank's. */
int gathering_end_lap(struct gathering *g, const struct task_times *times, struct lap_times *lap,
                      struct err *e);

/* Ends the test. In rank 0, *figures and *total become those of all ranks, and *together is set;
 * the caller owns its memory. In other ranks nothing changes. */
int gathering_end_test(struct gathering *g, struct test_figures *figures, struct op_stats *total,
                       struct joint_test *together, struct err *e);
