#ifndef BONNIE_RESULT_H
#define BONNIE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "testid.h"

/*
 * What was measured, as plain numbers: everything a report needs and nothing that points into the
 * run. Texts point into the plan or the host, which outlive it. A test can fill one by hand.
 */

/* How long single operations took, in nanoseconds. */
struct latencies {
    uint64_t min;
    uint64_t mean;
    uint64_t p50;
    uint64_t p90;
    uint64_t p95;
    uint64_t p99;
    uint64_t p99_9;
    uint64_t p99_99;
    uint64_t max;
};

/* What the block devices below the directory did during a test, by the kernel's own counters. */
struct device_use {
    bool known; /* false: there is none (tmpfs, NFS), and the rest means nothing */
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_ops;
    uint64_t write_ops;
    double busy_percent; /* of the elapsed time; of several devices, the busiest */
};

/* How much of the data files was in the page cache. */
struct cache_use {
    bool known; /* false: the test has no data files, and the rest means nothing */
    double resident_percent_before;
    double resident_percent_after;
    bool system_dropped; /* the caches of the whole system were emptied before */
};

/* What held the figure of a test down, and in which words. */
enum limit { LIMITED_UNKNOWN, LIMITED_DEVICE, LIMITED_PAGE_CACHE, LIMITED_CPU };
#define VERDICT_TEXT 256
struct verdict {
    enum limit by;
    char sentence[VERDICT_TEXT]; /* with a full stop */
    char advice[VERDICT_TEXT];   /* a sentence too; empty: there is none */
};

/* A second or so of a test. */
struct interval {
    uint64_t end_ns; /* since the start of the test */
    uint64_t ops;    /* that ended in it */
    uint64_t bytes;
    uint64_t p50_ns; /* of their latencies */
    uint64_t p99_ns;
    uint64_t max_ns;
};

/* One test of one run. */
struct test_result {
    bool measured;        /* false: skipped, the other fields mean nothing */
    unsigned workers;     /* workers or seekers */
    const char *engine;   /* what moved its data */
    unsigned iodepth;     /* operations in flight for each of them */
    bool direct;          /* with O_DIRECT */
    uint64_t chunk_bytes; /* of an operation; 0: it moves no data */
    uint64_t ops;         /* operations (chunks, stretches of characters, seeks, files) */
    uint64_t bytes;       /* bytes that the rate counts: a rewritten chunk once */
    uint64_t elapsed_ns;  /* from the start of all workers to the end of the last */
    uint64_t cpu_ns;      /* CPU time of all of them, user and system */
    struct latencies latency_ns;
    uint64_t verified_bytes; /* of what was read, so much was checked */
    uint64_t damaged;        /* and so many units of it were not what they should be */
    struct device_use device;
    struct cache_use cache;
    struct verdict verdict;
    struct interval *intervals; /* the result's own: result_release() frees them; NULL: none */
    size_t interval_count;
};

/* The machine and the storage. Texts may be NULL: not known. */
struct host_facts {
    const char *name;
    const char *kernel; /* "Linux 6.1.0-18-amd64" */
    const char *cpu_model;
    unsigned cpus; /* that the program may use */
    uint64_t ram_bytes;
    const char *directory;  /* the scratch directory as it was given */
    const char *filesystem; /* its type: "ext4" */
    const char *device;     /* the block devices below it: "dm-0 (nvme0n1, nvme1n1)" */
};

/* What the metadata tests made. */
enum file_kind { FILES_DATA, FILES_HARD_LINKS, FILES_SYMBOLIC_LINKS };

/* One whole run: the settings that a report shows, and the figures. */
struct result {
    const char *version; /* of the program */
    const char *label;   /* as given; the reports make it harmless. NULL: none */
    unsigned concurrency;
    uint64_t seed;
    int64_t start_time; /* seconds since 1970, UTC */
    struct host_facts host;
    const char *preset; /* its name */
    bool direct;
    bool sync;          /* every write was made durable */
    const char *data;   /* the contents: "random", "zero", "compress=50" */
    const char *verify; /* "stamp", "full", "off" */
    const char *cache;  /* "evict", "keep" */
    double min_seconds; /* tests that can go on went on for so long at least */

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

    uint64_t files_k; /* number of files in units of 1024; 0: metadata tests skipped */
    enum file_kind file_kind;
    uint64_t file_max_bytes;
    uint64_t file_min_bytes;
    unsigned directories;
    uint64_t file_chunk_bytes;

    struct test_result tests[TEST_COUNT];
};

/* Bonnie++'s defaults, which its table and its CSV line leave out. */
#define DEFAULT_CHUNK_BYTES      8192
#define DEFAULT_FILE_CHUNK_BYTES 8192
#define DEFAULT_SEEKS            8192
#define DEFAULT_SEEKERS          5

/*
 * Below this the figure of a test is not printed: it says more about the clock and the scheduler
 * than about the storage.
 */
#define SHORTEST_MEASURED_NS 10000000

/* True when the test ran long enough for its figure to be printed. */
bool test_result_is_long_enough(const struct test_result *t);

/* Frees what a result owns. */
void result_release(struct result *r);

/* "device", "page cache", "cpu" or "unknown". */
const char *limit_name(enum limit limit);

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
