// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/preset.h"
#include "cli/option.h"
#include "io/engine.h"
#include "measure/steady.h"
#include "storage/file_set.h"
#include "sync/coordinator.h"
#include "verify/contents.h"

struct scratch_space;

/* Whether cached data is evicted before tests that read, and the names of these modes. */
enum cache_mode { CACHE_EVICT, CACHE_KEEP };
extern const char *const cache_names[]; /* ends in NULL, as the next list does */

/* The generations of Bonnie++'s CSV lines, the newest first, and their names. */
enum csv_generation { CSV_NOT_GIVEN = -1, CSV_1_98, CSV_1_97, CSV_1_96, CSV_1_03 };
extern const char *const csv_names[];

/* How block tests are repeated until their figure is steady. */
struct steady_plan {
    bool wanted;
    bool has_metric; /* the user chose the figure; false: it is each test's rate */
    enum round_metric metric;
    uint64_t round_ns;
    unsigned precondition; /* number of times that the data set is written before the first round */
    unsigned most_rounds;
};

/* The data set of the tests that move data. */
struct data_plan {
    uint64_t bytes; /* size that the user wants; only whole chunks of it are used */
    uint64_t chunk_bytes, chunks;
    uint64_t perchar_bytes; /* of each file, from its start, that putc and getc work on */
    uint64_t seeks;
    unsigned seekers;
    uint64_t change_bytes; /* the most that divides the operations of both seeks and iops */
};

struct iops_plan {
    uint64_t duration_ns;
    uint64_t most_ops; /* a worker ends earlier after this number of operations; 0: it does not */
    uint64_t block_bytes;
    unsigned write_percent;
    double theta; /* exponent of the Zipf distribution; 0: uniform */
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
    uint64_t max_bytes, min_bytes;
    unsigned directories_given; /* number that the user wants */
    unsigned directories;       /* number that is made: at least one for each worker */
    uint64_t chunk_bytes;
    uint64_t most_ns; /* only what is created in this time counts as wanted; 0: no limit */
};

/* Settings, preset and host combined: checked, complete, and not changed once a run begins; before
 * that, run_context.c finds whether a preset can have O_DIRECT, and session.c sets the seed of all
 * ranks and the size of the data that the first row of a short look has written. Nobody asks the
 * settings or the preset again. The host and the words of the settings must outlive the plan. */
struct plan {
    const struct host *host; /* for reports; the plan itself has what it says of the host */
    const char *preset;      /* name of the preset that decided what the user left open */
    bool is_brief;           /* a short look, as in struct preset_defaults */
    bool is_longer;          /* a look whose --time or -s was given, which the limits do not bind */
    const char *directory;
    bool makes_directory;      /* if it is missing */
    bool trusts_directory;     /* --trust-directory */
    bool is_device;            /* the place is a block device, and no directory */
    bool reads_only;           /* a device that is not to be written to */
    bool is_confirmed;         /* what is on the device may be lost */
    uint64_t offset_bytes;     /* where the data begins on the device */
    const char *session_label; /* of all rows; NULL: none */
    const char *label;         /* the same, or a row's; NULL: none */
    char row_label[320];
    const char *output;
    const struct preset_row *row; /* this plan's row of the preset; NULL: the preset has no rows */
    unsigned row_number;          /* its place in the preset; each has other offsets */
    const char *left_out;         /* why the row cannot be measured; NULL: it can */
    unsigned workers;
    unsigned first_worker; /* of this rank, by its number in the whole run */
    struct optional shift; /* of reads, in ranks */
    uint64_t seed;
    uint64_t runs;       /* smallest number of runs */
    uint64_t least_ns;   /* further runs begin until this time is over */
    uint64_t most_bytes; /* what a short look may write; 0: this is none */
    bool tests[TEST_COUNT];
    struct data_plan data;
    struct iops_plan iops;
    struct steady_plan steady;
    struct engine_plan engine;
    struct files_plan files;
    bool direct;
    bool may_forgo_direct; /* where it does not work, because only the preset wants it */
    bool sync;             /* every write is made durable */
    bool has_go_flags;     /* the command line has GoBonnieGo's form */
    bool is_bonniexx;      /* progress is told in the words of Bonnie++ */
    bool quiet;
    unsigned verbose;
    enum cache_mode cache;
    bool explains_tail;        /* what the slowest operations waited for */
    uint64_t drop_interval_ns; /* interval at which caches are dropped while tests read; 0: never */
    uint64_t min_time_ns;      /* tests that can be repeated last at least this long */
    uint64_t time_ns;          /* as given, for all tests that can go on; 0: it was not */
    uint64_t chunk_test_ns;    /* time of each sequential block test; 0: once through the data */
    bool percentiles;          /* of every test below the table */
    bool si;                   /* throughput in powers of 1000, too */
    enum data_kind contents;
    unsigned compress_percent;
    char contents_name[16]; /* the contents, in the form of --data */
    enum verify_mode verify;
    const struct plan *whole; /* of all ranks, if this is one rank's share; otherwise NULL */
    unsigned rank;            /* number of the rank whose share this is */
    unsigned ranks;           /* number of ranks that share the whole plan */
    enum csv_generation csv;  /* of the CSV line */
    bool text_is_named;       /* the user chose the text report by its name */
    size_t format_count;
    const char *formats[MAX_FORMATS]; /* names of reports (report_by_name()) */
    uint64_t advise_bytes;            /* a smaller data set causes a warning; 0: none does */
};

/* What the user asked for, as given. Nothing is looked up, guessed or computed here. The plan
 * combines it with the preset and the host. */
struct settings {
    struct plan plan;    /* what a setting decides alone; csv is CSV_NOT_GIVEN without --csv */
    const char *preset;  /* its name; NULL: not given */
    const char *operand; /* `bonnie DIR`; NULL: not given */
    bool shapes_run;     /* an option says what is measured, or how */
    bool gives_size;     /* -s does, which a short look at a device takes as well */
    bool writes;         /* --write: a device is written to, and not only read */
    struct optional offset_bytes; /* where the data begins on a device */
    const char *page;             /* path of the HTML page; NULL: none */
    const char *user, *group;
    const char *random_file;
    struct optional data_bytes; /* -s with a suffix, in bytes */
    struct optional data_units; /* -s without a suffix, in billionths of the preset's unit */
    struct optional chunk_bytes, seeks, seekers;
    struct optional files_k, file_max_bytes, file_min_bytes, directories, file_chunk_bytes; /* -n */
    struct optional workers;
    bool workers_auto;
    struct optional ram_bytes;
    struct optional runs, seconds_ns; /* runs are repeated so often, and for at least this time */
    struct optional seed;
    bool fast;                                  /* -f: the per-character tests are skipped */
    struct optional perchar_bytes;              /* -fN */
    const struct coordinator_ops *coordination; /* NULL: not given */
    int semaphore_processes;                    /* -p N; -1: they are removed; 0: not given */
    bool cleans_up;                             /* --cleanup */
    const char *engine;                         /* name of the engine; NULL: not given */
    struct optional iodepth;
    struct optional iops_duration_ns, iops_block_bytes;
    struct optional iops_writes;           /* percentage of operations that write */
    struct optional time_ns;               /* time of all tests that can go on */
    struct optional round_ns, most_rounds; /* of --steady-state */
    struct optional precondition;          /* number of times that the data set is written before */
    bool require_steady;
    struct optional min_time_ns;
    bool tests_given;
    bool tests[TEST_COUNT];
    size_t format_count; /* 0: the preset's formats */
    const char *formats[MAX_FORMATS];
};

/* Limits of the sizes and numbers in -s and -n. The texts in options.c repeat them. */
#define MAX_DATA_BYTES  (1024 * TIB)
#define MIN_CHUNK_BYTES 256
#define MAX_CHUNK_BYTES GIB
#define MAX_SEEKS       UINT64_C(1000000000000)
#define MAX_SEEKERS     65536
#define MAX_FILES_K     UINT64_C(1000000000)
#define MAX_FILE_BYTES  TIB
#define MAX_DIRECTORIES 99999

/* Initialises s, and reads the command line into it. argv, `out`, the result and e are as for
 * cli_parse(). GoBonnieGo's command line has help of its own: its options have a single dash (-dir
 * D, -runs=2, -json), beside all options of bonnie. */
int options_parse(int argc, char *argv[], struct settings *s, FILE *out, struct err *e);

/* Whether tests really store what they write to data files. */
static inline bool plan_stores(const struct plan *p)
{
    return p->engine.ops->capabilities & ENGINE_STORES;
}

/* Whether the report with that name is printed. */
bool plan_has_format(const struct plan *p, const char *name);

/* Whether any of the tests from `first` up to, but not including, `end` is run. */
static inline bool plan_has_test(const struct plan *p, enum test_id first, enum test_id end)
{
    for (enum test_id t = first; t < end; t++)
        if (p->tests[t])
            return true;
    return false;
}

/* The preset that the user chose, by name or with an operand alone. */
const struct preset_defaults *plan_defaults(const struct settings *s);

/* Number of rows of the preset, each of which has a plan of its own; 1 if it has no rows. A device
 * has no rows with files, and one that is only read none that write. */
unsigned plan_rows(const struct settings *s, const struct host *h);

/* Makes the plan of row number `row`, counted from 0. Returns 0, or a negative errno with a line in
 * e when sizes do not fit together, no test is left, or options cannot be combined. */
int plan_make_row(struct plan *p, const struct settings *s, const struct host *h, unsigned row,
                  struct err *e);

/* Does without O_DIRECT, which does not work here. A short look then takes another engine. */
void plan_forgo_direct(struct plan *p);

/* Lets a row of a short look take no more than its share of left_ns, which `rows` rows have
 * together. What is in flight at a row's end is waited for: in the row before, an operation of
 * op_bytes took op_ns. If that would take too long, the row has one at a time, or is left out. */
void plan_bound_row(struct plan *p, uint64_t left_ns, unsigned rows, uint64_t op_bytes,
                    uint64_t op_ns);

/* The plan of all ranks, of which p may be a share. */
static inline const struct plan *plan_whole(const struct plan *p)
{
    return p->whole ? p->whole : p;
}

/* Number of metadata directories of all ranks together. Each worker has at least one. */
static inline unsigned plan_all_directories(const struct plan *p)
{
    unsigned workers = p->workers * p->ranks;
    unsigned directories = plan_whole(p)->files.directories;
    return MAX(directories, workers);
}

/* Makes one rank's share of a plan, which must outlive it. Sizes and numbers of files and seeks are
 * divided; workers and seekers are per rank; only rank 0 prints anything. Returns 0, or a negative
 * errno with a line in e when there is too little for each rank, or ranks cannot share it. */
int plan_share(struct plan *share, const struct plan *whole, const struct ranks *r, struct err *e);

/* The most bytes (UINT64_MAX: more than can be counted) and files that the plan needs at any moment
 * on a filesystem with these blocks and inodes, where a hard link may count as a file. */
uint64_t plan_bytes_needed(const struct plan *p, const struct scratch_space *space);
uint64_t plan_files_needed(const struct plan *p, bool links_are_files);
