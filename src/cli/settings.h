#ifndef BONNIE_CLI_SETTINGS_H
#define BONNIE_CLI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contents.h"
#include "coordinate.h"
#include "engines/options.h"
#include "pattern.h"
#include "result.h"

/*
 * What the user asked for, as given: nothing is looked up, guessed or computed here. The plan
 * (plan.h) joins it with what the preset and the host say.
 */

/* A number that may have been left out. */
struct given {
    bool given;
    uint64_t value;
};

enum cache_mode { CACHE_EVICT, CACHE_KEEP };

/* What main() is to do. */
enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_CLEANUP,
    ACTION_SEMAPHORES,
    ACTION_ENGINES
};

/* text, csv, json, html: each at most once. */
#define MAX_FORMATS 4

struct settings {
    enum action action;
    const struct preset_defaults *preset; /* NULL: not given */

    const char *directory;
    const char *label; /* NULL: not given */
    const char *output;
    const char *user;
    const char *group;
    const char *random_file;

    struct given data_bytes; /* -s with a suffix */
    struct given data_units; /* without: billionths of what the preset counts in */
    struct given chunk_bytes;
    struct given seeks;
    struct given seekers;

    struct given files_k;
    enum file_kind file_kind;
    struct given file_max_bytes;
    struct given file_min_bytes;
    struct given directories;
    struct given file_chunk_bytes;

    struct given workers;
    bool workers_auto;
    struct given ram_bytes;
    struct given runs;
    struct given seconds_ns; /* whole runs go on for so long at least */
    struct given seed;

    bool fast;                  /* -f: skip the per-character tests */
    struct given perchar_bytes; /* -fN */
    bool sync;
    bool direct;
    bool unlocked;
    bool quiet;
    unsigned verbose;
    enum cache_mode cache;
    enum data_kind data;
    struct given compress_percent;
    enum verify_mode verify;
    enum coordination coordination;
    int semaphore_processes; /* -p N; -1 removes the semaphores */

    const char *engine; /* its name; NULL: not given */
    struct given iodepth;
    struct engine_options engine_options;

    struct given iops_duration_ns;
    struct given iops_block_bytes;
    struct given iops_writes; /* percent */
    double iops_theta;        /* of the Zipf distribution; 0: uniform */

    struct given min_time_ns;
    struct given drop_interval_ns;

    bool tests_given;
    bool tests[TEST_COUNT];

    size_t format_count; /* 0: the preset's */
    const char *formats[MAX_FORMATS];
};

#endif
