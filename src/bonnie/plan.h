#ifndef BONNIE_PLAN_H
#define BONNIE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonnie/choices.h"
#include "bonnie/plan_steady.h"
#include "bonnie/tests.h"
#include "io/engine.h"
#include "storage/file_kind.h"
#include "sync/coordinator.h"
#include "sys/host.h"
#include "util/err.h"
#include "verify/contents.h"
#include "verify/pattern.h"

struct preset_row;
struct settings;
struct ranks;

/* The data set of the I/O tests. */
struct data_plan {
    uint64_t bytes; /* as asked for; only whole chunks of it are used */
    uint64_t chunk_bytes;
    uint64_t chunks;
    /* the part of the files, from their start, that putc and getc work on */
    uint64_t perchar_bytes;
    uint64_t seeks;
    unsigned seekers;
    uint64_t change_bytes; /* the seeks and iops change multiples of this */
};

/* The iops test. */
struct iops_plan {
    uint64_t duration_ns;
    uint64_t block_bytes;
    unsigned write_percent;
    double theta; /* exponent of the Zipf distribution of offsets; 0: uniform */
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
 * Settings and host combined: validated, complete, and never changed afterwards. Texts point into
 * the settings or the host.
 */
struct plan {
    const struct host *host;
    const char *directory;
    bool makes_directory; /* the directory is made if it is missing, and stays */
    const char *label;
    const char *output;
    const char *preset;
    const struct preset_row *row; /* which of the preset's this is; NULL: it has none */
    unsigned workers;
    unsigned first_worker; /* with several ranks, the number of its first worker in the whole run */
    uint64_t seed;
    uint64_t runs;       /* smallest number of runs */
    uint64_t seconds_ns; /* runs are repeated until this time has passed */
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
    uint64_t drop_interval_ns; /* interval at which caches are dropped while tests read; 0: never */
    uint64_t min_time_ns;      /* tests that can be repeated last at least this long */
    uint64_t time_ns;          /* how long sequential block tests last; 0: once through the data */
    bool wants_intervals;      /* a report has them */
    enum data_kind contents;
    unsigned compress_percent; /* with DATA_COMPRESS */
    char contents_name[16];    /* the contents, in the form of --data */
    enum verify_mode verify;
    const struct coordinator_ops *coordination; /* NULL: the program's own */
    /* the plan of all ranks, if this is one rank's share of it; otherwise NULL */
    const struct plan *whole;
    unsigned rank;       /* number of the rank that has this share */
    unsigned ranks;      /* number of ranks that share the plan */
    bool shift_is_given; /* false: the number of hosts and their directories decide */
    unsigned shift;      /* tests read what the rank that many numbers further has written */
    bool percentiles;    /* percentiles of every test below the table, */
    bool si;             /* and MB/s beside MiB/s */
    bool text_is_named;  /* the user named the text report explicitly */
    size_t format_count;
    const char *formats[MAX_FORMATS]; /* names of reports (report_by_name()) */
    /* smallest size of the data set that is not warned about; 0: no warning */
    uint64_t advise_bytes;
};

/* True when tests really store what they write into data files. */
static inline bool plan_stores(const struct plan *p)
{
    return p->engine.ops->capabilities & ENGINE_STORES;
}

/* True when the report of that name is to be printed. */
bool plan_has_format(const struct plan *p, const char *name);

/* True when any of the tests from first up to, but without, end is to be run. */
static inline bool plan_has_test(const struct plan *p, enum test_id first, enum test_id end)
{
    for (enum test_id t = first; t < end; t++)
        if (p->tests[t])
            return true;
    return false;
}

/* True when a test changes blocks at random places. */
static inline bool plan_changes_blocks(const struct plan *p)
{
    return p->tests[TEST_SEEKS] || (p->tests[TEST_IOPS] && p->iops.write_percent > 0);
}

/*
 * Makes the plan. Returns 0, or a negative errno and a line in e: a data set that cannot be divided
 * among the workers, no test left, a random file that cannot be read, or options that cannot be
 * combined.
 */
int plan_make(struct plan *p, const struct settings *s, const struct host *h, struct err *e);

/* The number of rows that the preset has, each with a plan of its own; 1 if it has none. */
unsigned plan_rows(const struct settings *s);

/* Makes the plan of one of these rows, counted from 0, as plan_make() does for the first. */
int plan_make_row(struct plan *p, const struct settings *s, const struct host *h, unsigned row,
                  struct err *e);

/* The plan of the whole run, of which p may be a share. */
static inline const struct plan *plan_whole(const struct plan *p)
{
    return p->whole ? p->whole : p;
}

/* The number of metadata directories of all ranks; each worker has at least one. */
static inline unsigned plan_all_directories(const struct plan *p)
{
    unsigned workers = p->workers * p->ranks;
    unsigned directories = plan_whole(p)->files.directories;
    return directories > workers ? directories : workers;
}

/*
 * Makes the share of one rank of a plan; a single rank's share is the whole plan. Sizes and the
 * numbers of files and seeks are shared out, workers and seekers are per rank, and only rank 0
 * prints anything. `whole` must outlive the share. Returns 0, or a negative errno and a line in e:
 * there is too little for each rank.
 */
int plan_share(struct plan *share, const struct plan *whole, const struct ranks *r, struct err *e);

#endif
