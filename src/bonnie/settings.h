// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bonnie/tests.h"
#include "cli/option.h"
#include "io/engine.h"
#include "measure/steady.h"
#include "storage/file_set.h"
#include "sync/coordinator.h"
#include "verify/contents.h"
#include "verify/pattern.h"

/* Constants that settings, plan and result share. */

/* Whether cached data is evicted before tests that read. */
enum cache_mode { CACHE_EVICT, CACHE_KEEP };

/* The names of these modes, with a NULL at the end. */
extern const char *const cache_names[];

/* Most formats that a session can print: text, csv, json, html, each at most once. */
#define MAX_FORMATS 4

/* The generations of Bonnie++'s CSV lines, the newest first, and their names, which end in NULL. */
enum csv_generation { CSV_NOT_GIVEN = -1, CSV_1_98, CSV_1_97, CSV_1_96, CSV_1_03 };

extern const char *const csv_names[];

/* Defaults of Bonnie++, which its table and its CSV line omit. */
#define DEFAULT_CHUNK_BYTES      8192
#define DEFAULT_FILE_CHUNK_BYTES 8192
#define DEFAULT_SEEKS            8192
#define DEFAULT_SEEKERS          5

/*
 * What the user asked for, as given. Nothing is looked up, guessed or computed here. The plan
 * (plan.h) combines it with the preset and the host.
 */

struct settings {
    const struct preset_defaults *preset; /* NULL: not given */
    bool has_go_flags;                    /* the command line has GoBonnieGo's form */
    bool is_bonniexx;                     /* called bonnie++: progress is told in its words */

    const char *directory;
    const char *operand;          /* `bonnie DIR`; NULL: not given */
    bool shapes_run;              /* an option says what is measured, or how */
    bool gives_size;              /* -s does, which a short look at a device takes as well */
    bool writes;                  /* --write: a device is written to, and not only read */
    bool yes;                     /* --yes: what is on it may be lost */
    struct optional offset_bytes; /* where the data begins on a device */
    const char *label;            /* NULL: not given */
    const char *output;
    const char *page; /* path of the HTML page; NULL: none */
    const char *user;
    const char *group;
    const char *random_file;

    struct optional data_bytes; /* -s with a suffix, in bytes */
    struct optional data_units; /* -s without a suffix, in billionths of the preset's unit */
    struct optional chunk_bytes;
    struct optional seeks;
    struct optional seekers;

    struct optional files_k;
    enum file_kind file_kind;
    struct optional file_max_bytes;
    struct optional file_min_bytes;
    struct optional directories;
    struct optional file_chunk_bytes;

    struct optional workers;
    bool workers_auto;
    struct optional ram_bytes;
    struct optional runs;
    struct optional seconds_ns; /* runs are repeated for at least this time */
    struct optional seed;

    bool fast;                     /* -f: the per-character tests are skipped */
    struct optional perchar_bytes; /* -fN */
    bool sync;
    bool direct;
    bool trusts_directory;
    bool quiet;
    unsigned verbose;
    enum cache_mode cache;
    enum data_kind data;
    struct optional compress_percent;
    enum verify_mode verify;
    const struct coordinator_ops *coordination; /* NULL: not given */
    int semaphore_processes;                    /* -p N; -1: they are removed; 0: not given */
    bool cleans_up;                             /* --cleanup */

    const char *engine; /* name of the engine; NULL: not given */
    struct optional iodepth;
    struct engine_options engine_options;

    struct optional iops_duration_ns;
    struct optional iops_block_bytes;
    struct optional iops_writes; /* percentage of operations that write */
    double iops_theta;           /* exponent of the Zipf distribution; 0: uniform */

    struct optional shift;   /* shift of reads, in ranks */
    struct optional time_ns; /* time of each sequential block test */

    bool steady; /* --steady-state */
    bool steady_metric_given;
    enum round_metric steady_metric;
    struct optional round_ns;
    struct optional precondition; /* number of times that the data set is written before */
    struct optional most_rounds;
    bool require_steady;

    struct optional min_time_ns;

    bool tests_given;
    bool tests[TEST_COUNT];

    bool percentiles;  /* percentiles of every test below the table */
    bool explain_tail; /* what the slowest operations waited for */
    bool si;           /* throughput in powers of 1000, too */

    size_t format_count; /* 0: the preset's formats */
    const char *formats[MAX_FORMATS];
    enum csv_generation csv; /* if it is given, the line is printed whatever the formats are */
};
