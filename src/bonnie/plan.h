#ifndef BONNIE_PLAN_H
#define BONNIE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonnie/choices.h"
#include "bonnie/tests.h"
#include "io/engine.h"
#include "measure/round.h"
#include "storage/file_kind.h"
#include "sync/coordinator.h"
#include "sys/host.h"
#include "util/err.h"
#include "verify/contents.h"
#include "verify/pattern.h"

struct settings;
struct ranks;

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

/* Block tests that are repeated until their figure is steady. */
struct steady_plan {
    bool wanted; /* false: all else means nothing */
    bool is_required;
    bool has_metric; /* else it is that of the test's rate */
    enum round_metric metric;
    uint64_t round_ns;
    unsigned precondition; /* how often the data set is written before the first round */
    unsigned most_rounds;
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
    bool makes_directory; /* if it is not there; it stays */
    const char *label;
    const char *output;
    const char *preset;
    unsigned workers;
    unsigned first_worker; /* the number of the first one in the whole run, of several ranks */
    uint64_t seed;
    uint64_t runs;       /* the least number of them */
    uint64_t seconds_ns; /* and further ones until this time has passed */
    bool csv_header;     /* -x: CSV with a header */
    bool tests[TEST_COUNT];
    struct data_plan data;
    struct iops_plan iops;
    struct steady_plan steady;
    struct engine_plan engine;
    struct files_plan files;
    bool sync;
    bool direct;
    bool unlocked;
    bool quiet;
    unsigned verbose;
    enum cache_mode cache;
    uint64_t drop_interval_ns; /* between two droppings of caches while tests read; 0: none */
    uint64_t min_time_ns;      /* tests that can be repeated go on at least this long */
    uint64_t time_ns;          /* sequential block tests go on for so long; 0: once */
    bool wants_intervals;      /* a report has them */
    enum data_kind contents;
    unsigned compress_percent; /* under DATA_COMPRESS */
    char contents_name[16];    /* as --data takes it */
    enum verify_mode verify;
    const struct coordinator_ops *coordination; /* NULL: the program's own */
    const struct plan *whole; /* of all ranks, if this is one rank's share of it; else NULL */
    unsigned rank;            /* whose share */
    unsigned ranks;           /* how many share it */
    bool shift_is_given;      /* else the number of hosts and their directories decide */
    unsigned shift;           /* reads go to what the rank that number further has written */
    bool percentiles;         /* below the table, of every test */
    bool si;                  /* and MB/s beside MiB/s */
    bool text_is_named;       /* the user asked for the report for people by its name */
    size_t format_count;
    const char *formats[MAX_FORMATS]; /* names of reports, as report_by_name() knows them */
    uint64_t advise_bytes;            /* the data set should be at least this; 0: no advice */
};

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

/* The plan of the whole run, of which this one may be a share. */
static inline const struct plan *plan_whole(const struct plan *p)
{
    return p->whole ? p->whole : p;
}

/* The number of metadata directories of all ranks: each worker has one at least. */
static inline unsigned plan_all_directories(const struct plan *p)
{
    unsigned workers = p->workers * p->ranks;
    unsigned directories = plan_whole(p)->files.directories;
    return directories > workers ? directories : workers;
}

/*
 * Makes of a plan the share of one of several ranks; of one alone it is all. Sizes, numbers of
 * files and of seeks are shared out, workers and seekers count for each rank, and only rank 0 says
 * anything. `whole` must outlive the share. Returns 0, or a negative errno and a line in e: there
 * is too little for each.
 */
int plan_share(struct plan *share, const struct plan *whole, const struct ranks *r, struct err *e);

/*
 * Bytes and files that the plan needs at its fullest moment, on a filesystem with such blocks and
 * inodes; UINT64_MAX bytes: more than can be counted. links_are_files: a hard link counts as a file
 * there.
 */
struct scratch_space;
uint64_t plan_bytes_needed(const struct plan *p, const struct scratch_space *space);
uint64_t plan_files_needed(const struct plan *p, bool links_are_files);

#endif
