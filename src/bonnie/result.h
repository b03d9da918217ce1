#ifndef BONNIE_RESULT_H
#define BONNIE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonnie/choices.h"
#include "bonnie/corruption_list.h"
#include "bonnie/tests.h"
#include "bonnie/verdict.h"
#include "measure/device.h"
#include "measure/interval.h"
#include "measure/latencies.h"
#include "measure/round.h"
#include "measure/steady.h"
#include "measure/summary.h"
#include "storage/file_kind.h"
#include "storage/page_cache.h"
#include "sync/ranks.h"

/*
 * What was measured, as plain numbers: everything a report needs and nothing that points into the
 * run. Texts point into the plan or the host, which outlive it. A test can fill one by hand.
 */

/* One host's part of a test that several ranks did together. */
struct host_result {
    char name[RANK_HOST_SIZE];
    unsigned ranks;
    uint64_t ops;
    uint64_t bytes;
    uint64_t elapsed_ns; /* from the first start to the last end of its ranks */
    uint64_t cpu_ns;
    uint64_t latency_sum_ns; /* of all its operations */
    uint64_t latency_max_ns;
};

/* How several ranks did a test together; without others all is 0. */
struct together {
    unsigned ranks;
    struct host_result *hosts; /* the result's own: result_release() frees them */
    size_t host_count;
    uint64_t start_spread_ns;      /* between the first rank's start and the last one's */
    uint64_t clock_uncertainty_ns; /* of the times on other hosts' clocks */
};

/* How a test was repeated until its figure was steady, or until there had been too many rounds. */
struct steady_result {
    bool wanted; /* false: it was not, and all else means nothing */
    bool is_steady;
    enum round_metric metric;
    uint64_t round_ns; /* how long a round was to be */
    unsigned most_rounds;
    unsigned precondition; /* how often the data set was written before */
    struct steady_fit fit; /* of the last window */
    struct round *rounds;  /* the result's own: result_release() frees them */
    unsigned count;
};

/* One test of one run. */
struct test_result {
    bool measured;        /* false: skipped, the other fields mean nothing */
    unsigned workers;     /* workers or seekers */
    const char *engine;   /* what moved its data */
    unsigned iodepth;     /* operations in flight for each of them */
    bool direct;          /* with O_DIRECT */
    uint64_t chunk_bytes; /* of an operation; 0: it moves no data */
    uint64_t ops;         /* operations (chunks, blocks of characters, seeks, files) */
    uint64_t bytes;       /* bytes that the rate counts: a rewritten chunk once */
    uint64_t elapsed_ns;  /* from the start of all workers to the end of the last */
    uint64_t cpu_ns;      /* CPU time of all of them, user and system */
    struct latencies latency_ns;
    bool
        is_short; /* further rounds would have taken too long to prepare: less than was asked for */
    bool has_plain_queue;    /* the engine's buffers were not known to the system: it costs more */
    uint64_t verified_bytes; /* how much of what was read was checked */
    uint64_t corrupted;      /* number of units of it that were not what they should be */
    struct corruption_list corruption; /* the first of those; result_release() frees it */
    struct device_use device;
    struct cache_use cache;
    double waited_for_cpu_percent; /* of the time, the busiest worker; negative: not known */
    struct verdict verdict;
    /* If wanted, the figures above are those of the last window, but for what was found damaged. */
    struct steady_result steady;
    struct interval *intervals; /* the result's own: result_release() frees them; NULL: none */
    size_t interval_count;
    struct together together;
};

/* The machine and the storage. Texts may be NULL: not known. */
struct host_facts {
    const char *name;
    const char *kernel; /* "Linux 6.1.0-18-amd64" */
    const char *cpu_model;
    unsigned cpus; /* that the program may use */
    uint64_t ram_bytes;
    const char *directory;     /* the scratch directory as it was given */
    const char *filesystem;    /* its type: "ext4" */
    const char *device;        /* the block devices below it: "dm-0 (nvme0n1, nvme1n1)" */
    const char *disk_model;    /* of those, or of the disks below; several are joined by ", " */
    const char *scheduler;     /* in use on them: "mq-deadline" */
    const char *mount_options; /* "rw,relatime,discard" */
};

/* One whole run: the settings that a report shows, and the figures. */
struct result {
    const char *version; /* of the program */
    const char *label;   /* as given; the reports make it harmless. NULL: none */
    unsigned concurrency;
    unsigned ranks; /* that have made the run together */
    unsigned shift; /* each has read what the rank that number further wrote */
    uint64_t seed;
    int64_t start_time; /* seconds since 1970, UTC */
    struct host_facts host;
    const char *preset; /* its name */
    bool direct;
    bool sync;          /* every write was made durable */
    const char *data;   /* the contents: "random", "zero", "compress=50" */
    const char *verify; /* "stamp", "full", "off" */
    const char *cache;  /* "evict", "keep" */
    bool percentiles;   /* the report for people has those of every test, */
    bool si;            /* and MB/s beside MiB/s */
    double min_seconds; /* tests that can go on went on at least this long */

    uint64_t data_bytes;  /* size asked for; 0: the I/O tests were skipped */
    uint64_t chunk_bytes; /* of the block tests */
    uint64_t seeks;
    unsigned seekers;
    const char *engine;        /* what moved the data of the block tests */
    unsigned iodepth;          /* operations in flight per worker or seeker */
    uint64_t iops_block_bytes; /* of iops */
    unsigned iops_write_percent;
    double iops_seconds;
    double iops_theta; /* of the Zipf distribution of places; 0: uniform */
    double
        sequential_seconds; /* of put_block, rewrite and get_block each; 0: once through the data */

    uint64_t files_k; /* number of files in units of 1024; 0: metadata tests skipped */
    enum file_kind file_kind;
    uint64_t file_max_bytes;
    uint64_t file_min_bytes;
    unsigned directories;
    uint64_t file_chunk_bytes;

    struct test_result tests[TEST_COUNT];
};

/*
 * Below this the figure of a test is not printed: it says more about the clock and the scheduler
 * than about the storage.
 */
#define SHORTEST_MEASURED_NS 10000000

/* True when the test ran long enough for its figure to be printed. */
bool test_result_is_long_enough(const struct test_result *t);

/*
 * Fills s from the rates of one test in `count` runs; runs that did not measure it do not count.
 * Returns 0, or -ENOMEM.
 */
int result_summarise(struct summary *s, const struct result runs[], size_t count,
                     enum test_id test);

/* The host that did the fewest operations a second for each of its ranks; NULL: there is none. */
const struct host_result *together_slowest(const struct together *t);

/* Frees what a result owns. */
void result_release(struct result *r);

/* Whether the test's rate counts operations per second; else it counts KiB. */
bool test_counts_operations(enum test_id test);

/* Operations per second; 0 when nothing was measured. */
double test_result_ops_per_second(const struct test_result *t);

/* KiB per second; 0 when nothing was measured. */
double test_result_kib_per_second(const struct test_result *t);

/* The one of the two that is the test's rate, and its unit: "ops/s" or "KiB/s". */
double test_result_rate(const struct test_result *t, enum test_id test);
const char *test_rate_unit(enum test_id test);

/* CPU time in percent of the elapsed time; more than 100 when several CPUs were at work. */
double test_result_cpu_percent(const struct test_result *t);

#endif
