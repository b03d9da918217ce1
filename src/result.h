#ifndef BONNIE_RESULT_H
#define BONNIE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "testid.h"

/*
 * What was measured, as plain numbers: everything a report needs and nothing that points into the
 * run. A test can fill one by hand.
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

/* One test of one run. */
struct test_result {
    bool measured;       /* false: skipped, the other fields mean nothing */
    uint64_t ops;        /* operations (chunks, stretches of characters, seeks, files) */
    uint64_t bytes;      /* bytes that the rate counts: a rewritten chunk once */
    uint64_t elapsed_ns; /* from the start of all workers to the end of the last */
    uint64_t cpu_ns;     /* CPU time of all of them, user and system */
    struct latencies latency_ns;
    uint64_t verified_bytes; /* of what was read, so much was checked */
    uint64_t damaged;        /* and so many units of it were not what they should be */
};

/* What the metadata tests made. */
enum file_kind { FILES_DATA, FILES_HARD_LINKS, FILES_SYMBOLIC_LINKS };

/* One whole run: the settings that a report shows, and the figures. */
struct result {
    const char *version; /* of the program */
    const char *label;   /* as given; the reports make it harmless. NULL: none */
    unsigned concurrency;
    uint64_t seed;

    uint64_t data_bytes;  /* size asked for; 0: the I/O tests were skipped */
    uint64_t chunk_bytes; /* of the block tests */
    uint64_t seeks;
    unsigned seekers;
    const char *engine;        /* what moved the data of the block tests */
    unsigned iodepth;          /* operations in flight per worker or seeker */
    uint64_t iops_block_bytes; /* of iops */
    unsigned iops_write_percent;

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

/* Operations per second; 0 when nothing was measured. */
double test_result_ops_per_second(const struct test_result *t);

/* KiB per second; 0 when nothing was measured. */
double test_result_kib_per_second(const struct test_result *t);

/* CPU time in percent of the elapsed time; more than 100 when several CPUs were at work. */
double test_result_cpu_percent(const struct test_result *t);

#endif
