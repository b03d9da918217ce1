// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/plan.h"
#include "bonnie/verdict.h"
#include "live/monitor.h"
#include "measure/facts.h"
#include "measure/summary.h"
#include "storage/direct.h"
#include "storage/page_cache.h"
#include "tail/summary.h"

/* The first corrupted places that a test found, described for reports. */
struct corruption_entry {
    uint64_t file;                          /* number of the data file, counted from 0 */
    uint64_t offset;                        /* offset in that file */
    const char *kind;                       /* "stale", "torn" ...; a static text */
    char description[CORRUPTED_PLACE_TEXT]; /* the kind, what was expected, and what was found */
};

struct corruption_list {
    struct corruption_entry *entries; /* belongs to the list; NULL: none */
    size_t count;
};

/* One host's part of a test that several ranks did together. */
struct host_result {
    char name[RANK_HOST_SIZE];
    unsigned ranks;
    uint64_t ops, bytes;
    uint64_t elapsed_ns; /* time from the start of the host's first rank to the end of its last */
    uint64_t cpu_ns;
    uint64_t latency_sum_ns, latency_max_ns; /* of all operations on the host */
};

/* How several ranks did a test together. With one rank everything is 0. */
struct joint_test {
    unsigned ranks;
    struct host_result *hosts; /* belongs to the result; result_release() frees it */
    size_t host_count;
    uint64_t start_spread_ns;      /* time from the first rank's start to the last rank's */
    uint64_t clock_uncertainty_ns; /* of times that come from other hosts' clocks */
};

/* How a test was repeated until its figure was steady, or until the rounds ran out. */
struct steady_result {
    bool wanted; /* false: the test was not repeated, and the other fields mean nothing */
    bool is_steady;
    enum round_metric metric;
    uint64_t round_ns; /* intended time of a round */
    unsigned most_rounds;
    unsigned precondition; /* number of times that the data set was written before the test */
    struct steady_fit fit; /* fit of the last window */
    struct round *rounds;  /* belongs to the result; result_release() frees it */
    unsigned count;
    unsigned fell_in; /* the round in which the speed fell for good the last time; 0: none */
};

/* One test of one run. */
struct test_result {
    bool measured;            /* false: the test was not run, and the other fields mean nothing */
    unsigned workers;         /* workers or seekers */
    const char *engine;       /* name of the engine that moved the test's data */
    unsigned iodepth;         /* operations in flight for each worker or seeker */
    struct direct_use direct; /* whether the test used O_DIRECT, and what was seen of that */
    uint64_t chunk_bytes;     /* bytes of an operation; 0: the test moves no data */
    uint64_t ops;        /* number of operations (chunks, blocks of characters, seeks, files) */
    uint64_t bytes;      /* number of bytes that the rate counts; a rewritten chunk counts once */
    uint64_t elapsed_ns; /* time from the start of all workers to the end of the last one */
    uint64_t cpu_ns;     /* CPU time of all workers, user and system */
    struct latencies latency_ns;
    bool is_short; /* for less time than was wanted: preparing further laps would take too long */
    bool has_plain_queue;    /* the engine's buffers were not registered, which costs more */
    uint64_t verified_bytes; /* number of bytes that were read and checked */
    uint64_t corrupted;      /* number of corrupted units in these bytes */
    struct corruption_list corruption; /* the first corrupted places; result_release() frees them */
    struct device_counters device;
    struct moved_bytes moved; /* bytes of the storage, by the sources that speak about them */
    struct cache_use cache;
    struct verdict verdict;
    /* If steady.wanted, the figures above are those of the last window, except for corruption. */
    struct steady_result steady;
    struct tail_summary
        tail; /* what the slowest operations waited for; result_release() frees it */
    struct interval *intervals; /* NULL: none; belongs to the result; result_release() frees it */
    size_t interval_count;
    struct levels levels; /* what the test's speed fell to */
    struct joint_test together;
};

/* The storage below the scratch directory. An empty text means unknown. */
struct storage {
    const struct block_device *device; /* is measured itself; NULL: files in a directory are */
    struct sources sources;     /* filesystem of the directory, its devices, and its sources */
    char models[DEVICE_MODELS]; /* of these devices */
    struct direct direct;       /* what O_DIRECT does there */
    struct facts facts;         /* what stands in their way, before the first run and after it */
};

/* One whole run, with everything that a report needs: what was planned and found, which outlive the
 * result, and all figures as plain numbers. */
struct result {
    const struct plan *plan; /* the plan of all ranks */
    const struct storage *storage;
    const char *version; /* of the program */
    unsigned ranks;      /* number of ranks that made the run together */
    unsigned shift;      /* each rank reads what the rank with a number higher by this wrote */
    int64_t start_time;  /* seconds since 1970, UTC */
    uint64_t begun_ns, ended_ns; /* by clock_ns(): when the run began, and when it had ended */
    const char *ended_by; /* "signal" for the last run of a session that a signal ended, or NULL */
    char left_out[512];   /* why a row of a short look was not measured; empty: it was */
    struct test_result tests[TEST_COUNT];
};

/* The figure of a shorter test would depend on the clock and the scheduler: it has none. */
#define SHORTEST_MEASURED_NS 10000000

static inline bool test_result_is_long_enough(const struct test_result *t)
{
    return t->measured && t->elapsed_ns >= SHORTEST_MEASURED_NS;
}

/* Summarises the rates of a test in those of the runs that measured it. Returns 0 or -ENOMEM. */
int result_summarise(struct summary *s, const struct result runs[], size_t count,
                     enum test_id test);

/* Number of results, from the first on, of the same row of a preset; without rows, all. */
size_t result_count_alike(const struct result runs[], size_t count);

/* The host with the fewest operations per second and rank; NULL: there are no hosts. */
const struct host_result *together_slowest(const struct joint_test *t);

/* Number of workers of all ranks. */
static inline unsigned result_workers(const struct result *r)
{
    return r->plan->workers * r->ranks;
}

/* Frees what a result owns, but not the result itself. */
void result_release(struct result *r);

/* Whether the test's rate is in operations per second; otherwise it is in KiB per second. */
static inline bool test_counts_operations(enum test_id test)
{
    return test >= TEST_SEEKS;
}

static inline const char *test_rate_unit(enum test_id test)
{
    return test_counts_operations(test) ? "ops/s" : "KiB/s";
}

/* Operations, or KiB, per second; that of these which is the test's rate, in test_rate_unit(); CPU
 * time in percent of the elapsed time, above 100 with several CPUs. 0: nothing was measured. */
double test_result_ops_per_second(const struct test_result *t);
double test_result_kib_per_second(const struct test_result *t);
double test_result_rate(const struct test_result *t, enum test_id test);
double test_result_cpu_percent(const struct test_result *t);
