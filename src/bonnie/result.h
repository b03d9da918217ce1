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
 * The measurements as plain numbers: everything that a report needs, and nothing that points into
 * the run. Texts point into the plan or the host, which outlive it. Tests can fill one by hand.
 */

/* One host's part of a test that several ranks did together. */
struct host_result {
    char name[RANK_HOST_SIZE];
    unsigned ranks;
    uint64_t ops;
    uint64_t bytes;
    uint64_t elapsed_ns; /* from the start of its first rank to the end of its last */
    uint64_t cpu_ns;
    uint64_t latency_sum_ns; /* sum over all its operations */
    uint64_t latency_max_ns;
};

/* How several ranks did a test together; with one rank, everything is 0. */
struct together {
    unsigned ranks;
    struct host_result *hosts; /* owned by the result; result_release() frees them */
    size_t host_count;
    uint64_t start_spread_ns;      /* from the first rank's start to the last one's */
    uint64_t clock_uncertainty_ns; /* of times from other hosts' clocks */
};

/* How a test was repeated until its figure was steady, or until the limit of rounds was reached. */
struct steady_result {
    bool wanted; /* false: the test was not repeated, and the other fields mean nothing */
    bool is_steady;
    enum round_metric metric;
    uint64_t round_ns; /* intended duration of a round */
    unsigned most_rounds;
    unsigned precondition; /* how often the data set was written before the test */
    struct steady_fit fit; /* of the last window */
    struct round *rounds;  /* owned by the result; result_release() frees them */
    unsigned count;
};

/* One test of one run. */
struct test_result {
    bool measured;        /* false: skipped, and the other fields mean nothing */
    unsigned workers;     /* workers or seekers */
    const char *engine;   /* the engine that moved its data */
    unsigned iodepth;     /* operations in flight for each of them */
    bool direct;          /* with O_DIRECT */
    uint64_t chunk_bytes; /* of an operation; 0: it moves no data */
    uint64_t ops;         /* operations (chunks, blocks of characters, seeks, files) */
    uint64_t bytes;       /* bytes that the rate counts: those of a rewritten chunk count once */
    uint64_t elapsed_ns;  /* from the start of all workers to the end of the last one */
    uint64_t cpu_ns;      /* CPU time of all of them, user and system */
    struct latencies latency_ns;
    bool is_short; /* measured for less than asked: further rounds would have taken too long to
                      prepare */
    bool has_plain_queue; /* the engine's buffers were not registered with the kernel, which costs
                             more */
    uint64_t verified_bytes;           /* number of bytes read that were checked */
    uint64_t corrupted;                /* number of corrupted units among them */
    struct corruption_list corruption; /* the first of these; result_release() frees them */
    struct device_use device;
    struct cache_use cache;
    double waited_for_cpu_percent; /* share of the time for which the busiest worker waited for a
                                      CPU; negative: not known */
    struct verdict verdict;
    /* If wanted, the figures above are those of the last window, except for corruption. */
    struct steady_result steady;
    struct interval *intervals; /* owned by the result; result_release() frees them; NULL: none */
    size_t interval_count;
    struct together together;
};

/* The machine and the storage. A text that is NULL is not known. */
struct host_facts {
    const char *name;
    const char *kernel; /* "Linux 6.1.0-18-amd64" */
    const char *c_library;
    const char *cpu_model;
    unsigned cpus; /* number of CPUs that the program may use */
    uint64_t ram_bytes;
    const char *directory;  /* the scratch directory, as given */
    const char *filesystem; /* type of the filesystem: "ext4" */
    const char *device;     /* block devices below it: "dm-0 (nvme0n1, nvme1n1)" */
    const char *disk_model; /* models of those, or of the disks below; several are joined by ", " */
    const char *scheduler;  /* I/O schedulers of those: "mq-deadline" */
    const char *mount_options; /* "rw,relatime,discard" */
};

/* One whole run: the settings that a report shows, and the figures. */
struct result {
    const char *version; /* version of the program */
    const char *label;   /* as given; the reports sanitize it. NULL: none */
    unsigned concurrency;
    unsigned ranks; /* number of ranks that made the run together */
    unsigned shift; /* each rank has read what the rank that many numbers further wrote */
    uint64_t seed;
    int64_t start_time; /* seconds since 1970, UTC */
    struct host_facts host;
    const char *preset; /* its name */
    const char *row;    /* which of the preset's rows this is: "RND4K Q32T1"; NULL: it has none */
    bool direct;
    bool sync;          /* every write was made durable */
    const char *data;   /* the contents: "random", "zero", "compress=50" */
    const char *verify; /* "stamp", "full", "off" */
    const char *cache;  /* "evict", "keep" */
    bool percentiles;   /* whether the report for people has percentiles of every test */
    bool si;            /* whether it has MB/s in addition to MiB/s */
    double min_seconds; /* tests that can be repeated lasted at least this long */

    uint64_t data_bytes;  /* size asked for; 0: the I/O tests were skipped */
    uint64_t chunk_bytes; /* chunk size of the block tests */
    uint64_t seeks;
    unsigned seekers;
    const char *engine;        /* the engine of the block tests */
    unsigned iodepth;          /* operations in flight per worker or seeker */
    uint64_t iops_block_bytes; /* block size of iops */
    unsigned iops_write_percent;
    double iops_seconds;
    double iops_theta;         /* exponent of the Zipf distribution of offsets; 0: uniform */
    double sequential_seconds; /* duration of put_block, rewrite and get_block each; 0: once through
                                  the data */

    uint64_t files_k; /* number of files in units of 1024; 0: metadata tests skipped */
    enum file_kind file_kind;
    uint64_t file_max_bytes;
    uint64_t file_min_bytes;
    unsigned directories;
    uint64_t file_chunk_bytes;

    struct test_result tests[TEST_COUNT];
};

/*
 * The figure of a shorter test is not printed: it would depend on the clock and the scheduler, not
 * on the storage.
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

/*
 * Of results of several rows of a preset, the number of those from the first on that are runs of
 * the same one. Of a preset without rows these are all.
 */
size_t result_count_alike(const struct result runs[], size_t count);

/* The host with the fewest operations per second and rank; NULL: there are no hosts. */
const struct host_result *together_slowest(const struct together *t);

/* Frees what a result owns. */
void result_release(struct result *r);

/* Whether the test's rate is in operations per second; otherwise it is in KiB per second. */
bool test_counts_operations(enum test_id test);

/* Operations per second; 0 when nothing was measured. */
double test_result_ops_per_second(const struct test_result *t);

/* KiB per second; 0 when nothing was measured. */
double test_result_kib_per_second(const struct test_result *t);

/* The one of these two that is the test's rate, and its unit: "ops/s" or "KiB/s". */
double test_result_rate(const struct test_result *t, enum test_id test);
const char *test_rate_unit(enum test_id test);

/* CPU time in percent of the elapsed time; more than 100 when several CPUs were used. */
double test_result_cpu_percent(const struct test_result *t);

#endif
