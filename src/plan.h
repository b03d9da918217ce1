#ifndef BONNIE_PLAN_H
#define BONNIE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/settings.h"
#include "engines/engine.h"
#include "host.h"
#include "util/err.h"

/* The data set of the I/O tests. */
struct data_plan {
    uint64_t bytes; /* as asked for; whole chunks of it are used */
    uint64_t chunk_bytes;
    uint64_t chunks;
    uint64_t perchar_bytes; /* what putc and getc work on, at the start of the files */
    uint64_t seeks;
    unsigned seekers;
    uint64_t
        change_bytes; /* what is changed at once, in the seeks and in iops, is a multiple of it */
};

/* The iops test. */
struct iops_plan {
    uint64_t duration_ns;
    uint64_t block_bytes;
    unsigned write_percent;
    double theta; /* of the Zipf distribution of places; 0: uniform */
};

/* How block tests move data. */
struct engine_plan {
    const struct engine_ops *ops;
    struct engine_options options;
    unsigned depth; /* operations in flight per worker or seeker */
};

/* The file set of the metadata tests. */
struct files_plan {
    uint64_t count;
    enum file_kind kind;
    uint64_t max_bytes;
    uint64_t min_bytes;
    unsigned directories_given; /* as asked for */
    unsigned directories;       /* as made: at least one for each worker */
    uint64_t chunk_bytes;
};

/*
 * Settings and host joined: validated, complete, and never changed afterwards. Texts point into
 * the settings or the host.
 */
struct plan {
    const struct host *host;
    const char *directory;
    const char *label;
    const char *output;
    const char *preset;
    unsigned workers;
    uint64_t seed;
    uint64_t runs;       /* so many at least */
    uint64_t seconds_ns; /* and on until so much time has passed */
    bool csv_header;     /* -x: CSV with a header */
    bool tests[TEST_COUNT];
    struct data_plan data;
    struct iops_plan iops;
    struct engine_plan engine;
    struct files_plan files;
    bool sync;
    bool direct;
    bool unlocked;
    bool quiet;
    unsigned verbose;
    enum cache_mode cache;
    uint64_t drop_interval_ns; /* caches are dropped so often while tests read; 0: they are not */
    uint64_t min_time_ns;      /* tests that can be repeated go on for so long */
    bool wants_intervals;      /* a report has them */
    enum data_kind contents;
    unsigned compress_percent; /* under DATA_COMPRESS */
    char contents_name[16];    /* as --data takes it */
    enum verify_mode verify;
    enum coordination coordination;
    size_t format_count;
    const char *formats[MAX_FORMATS]; /* names of reports, as report_by_name() knows them */
    uint64_t advise_bytes;            /* the data set should be at least this; 0: no advice */
};

/* Part `index` of `total` things shared out among `parts` as evenly as can be. */
struct share {
    uint64_t first;
    uint64_t count;
};
struct share share_of(uint64_t total, uint64_t parts, uint64_t index);

/* The reverse: the part that thing `number` belongs to. */
uint64_t share_owner(uint64_t total, uint64_t parts, uint64_t number);

/* True when what a test of data files writes is really stored. */
static inline bool plan_stores(const struct plan *p)
{
    return p->engine.ops->capabilities & ENGINE_STORES;
}

/* True when the report of that name is to be printed. */
bool plan_has_format(const struct plan *p, const char *name);

/* True when a test changes blocks at random places. */
static inline bool plan_changes_blocks(const struct plan *p)
{
    return p->tests[TEST_SEEKS] || (p->tests[TEST_IOPS] && p->iops.write_percent > 0);
}

/*
 * Makes the plan. Returns 0, or a negative errno and a line in e: a data set that cannot be shared
 * out, no test left, a random file that cannot be read, or options that do not go together.
 */
int plan_make(struct plan *p, const struct settings *s, const struct host *h, struct err *e);

/*
 * Bytes and files that the plan needs at its fullest moment, on a filesystem with blocks of that
 * size; UINT64_MAX bytes: more than can be counted. links_are_files: a hard
 * link counts as a file there.
 */
uint64_t plan_bytes_needed(const struct plan *p, uint64_t block);
uint64_t plan_files_needed(const struct plan *p, bool links_are_files);

#endif
