// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"
#include "measure/histogram.h"
#include "util/partition.h"
#include "util/units.h"
#include "verify/contents.h"

struct profile;

/* Reads and writes are counted, timed, limited and reported separately. Writes come first. */
enum load_kind { LOAD_WRITE, LOAD_READ, LOAD_KINDS };

extern const char *const load_names[LOAD_KINDS];   /* "write", "read" */
extern const char *const load_plurals[LOAD_KINDS]; /* "writes", "reads" */
extern const char *const load_titles[LOAD_KINDS];  /* "Writes", "Reads" */

/* How load is made. */
enum mode { MODE_RATE, MODE_THREADS, MODE_SEARCH, MODE_SWEEP };

/* How a rate spaces its requests. */
enum arrival { ARRIVAL_CONSTANT, ARRIVAL_POISSON };
extern const char *const arrival_names[];

/* What a search varies. */
enum search_for { SEARCH_THREADS, SEARCH_RATE };
extern const char *const search_names[];

/* What a run prints: what goader prints, for people or as JSON, or our own report. */
enum output_format { OUTPUT_HUMAN, OUTPUT_JSON, OUTPUT_OURS };
extern const char *const output_names[]; /* of goader's */

/* The figure of the latency that must stay below a limit. */
enum limit_of { LIMIT_MEAN, LIMIT_PERCENTILE, LIMIT_MAX };

struct latency_limit {
    enum limit_of of;
    double percent; /* of LIMIT_PERCENTILE: above 0, below 100 */
    uint64_t nanoseconds;
};

/* Parse "max" or "p99.9" (false: neither); "20ms", "p99.9:20ms" or "max:20ms" (0 or -EINVAL). */
bool limit_figure_parse(const char *word, struct latency_limit *limit);
int latency_limit_parse(const char *text, struct latency_limit *limit);

/* The figure of a distribution that the limit applies to, in ns; 0: there are too few values. */
uint64_t latency_limit_figure(const struct latency_limit *limit, const struct histogram *h);

/* Formats the limited figure as "mean", "p99.9" or "max". */
struct units_text latency_limit_name(const struct latency_limit *limit);

/* Room for values that are copied because argv is overwritten, or that are given several times. */
#define SETTINGS_SECRET    512
#define SETTINGS_HEADERS   8192
#define SETTINGS_OPS       2048
#define SETTINGS_ENDPOINTS 8192
#define MAX_SWEEP          64

/* What the user asked for, as given, or the default, unless that depends on other settings. */
struct settings {
    bool as_goader;     /* the user called the program `goader`: bonload(1) lists what differs */
    const char *engine; /* name of the target; NULL: default */
    const char *url;
    const char *url_source;
    bool literal;                  /* url is a name, and not a template */
    const char *good_for;          /* name of a profile, "all", or a file; NULL: none */
    const struct profile *profile; /* the run's profile, when it has been found */
    bool trusts_directory;
    const char *user;
    const char *group;

    struct optional rate[LOAD_KINDS]; /* requests per second, in billionths */
    struct optional threads[LOAD_KINDS];
    struct optional reads_per_write; /* in billionths */
    struct optional max_channels;
    struct optional max_requests;
    struct optional duration_ns;
    struct optional warmup_ns;
    struct optional window_ns;
    struct optional window_most_ns;
    enum arrival arrival;
    struct latency_limit limit; /* of a search; 0 ns: none */
    enum search_for search;
    uint64_t sweep[MAX_SWEEP]; /* rates in billionths of requests per second */
    size_t sweep_count;
    const char *ramp;
    const char *load_file;
    bool stop_on_bad_rate;
    bool adjust_on_errors;

    struct optional body_size;
    struct optional min_body_size;
    struct optional max_body_size;
    bool fair_random;
    struct optional fair_buckets;
    const char *written_dump;
    bool make_directories;
    bool removes;   /* -remove: what the run wrote goes when it is over */
    bool cleans_up; /* -cleanup: what killed runs left in `url` goes, and nothing is run */
    struct optional chunk_bytes;
    bool direct;
    bool evict; /* evict a file's pages before it is read */
    bool fsync;
    bool explain_tail;
    enum verify_mode verify; /* VERIFY_MODES: not given */

    char meta_ops[SETTINGS_OPS]; /* all values that the user gave, joined by commas */
    struct optional xattr_keys;
    struct optional xattr_length;
    struct optional offset_limit;

    const char *ops;
    const char *body_file;
    struct optional timeout_ns;
    char headers[SETTINGS_HEADERS];    /* all headers, one per line */
    char credentials[SETTINGS_SECRET]; /* USER:PASSWORD of the URL; "": none */
    bool insecure_https;
    bool http1;
    const char *certificate; /* the client's, its key, and those of authorities */
    const char *key;
    const char *authorities;
    char s3_endpoint[SETTINGS_ENDPOINTS]; /* all values that the user gave, joined by commas */
    const char *s3_bucket;
    struct optional s3_virtual;
    const char *s3_region;
    struct optional s3_sign_version;
    struct optional s3_part_bytes;
    char s3_api_key[SETTINGS_SECRET];
    char s3_secret_key[SETTINGS_SECRET];

    enum output_format output; /* goader's */
    bool json;                 /* our document instead */
    const char *report;        /* -o: file of the report; NULL: standard output */
    const char *label;         /* of the results; NULL: name of the host */
    bool show_progress;
    bool quiet;
    const char *timeline_file; /* the page, and the option that asks for it */
    const char *page_option;
    const char *live_file;
    const char *hgrm;                /* start of the paths of files with distributions */
    struct latency_limit fail_above; /* 0 ns: none */
    struct optional max_errors;      /* percent, in billionths */
    struct optional seed;
    bool verbose;
    bool memory_debug;
};

#define MAX_RATE_CURVE 1000

struct rate_curve_point {
    uint64_t at_ns;
    double rate;   /* requests per second */
    double before; /* number of requests that are due before the point */
};

/* A rate: linear between points, a jump at two of one time, constant before and after them all. */
struct rate_curve {
    size_t count;    /* 0: the rate is constant */
    double peak;     /* the largest rate */
    uint64_t end_ns; /* time of the last point */
    struct rate_curve_point points[MAX_RATE_CURVE];
};

/* Adds a point. Returns false when it is earlier than the last one, or there is no room. */
bool rate_curve_add(struct rate_curve *c, uint64_t at_ns, double rate);

/* Parses "100..2000/60s". Returns 0 or -EINVAL. */
int rate_curve_parse_ramp(struct rate_curve *c, const char *text);

/* Adds a file's points: a time (30s, 1m30s, or seconds) and a rate a line; # begins a comment. */
int rate_curve_read(struct rate_curve *c, const char *path, struct err *e);

/* Of a curve with points: the rate at a time, in requests per second; the number of requests that
 * are due by then; and when that number is reached, in ns (a quarter of UINT64_MAX: never). */
double rate_curve_rate(const struct rate_curve *c, uint64_t at_ns);
double rate_curve_due(const struct rate_curve *c, uint64_t at_ns);
uint64_t rate_curve_time(const struct rate_curve *c, double number);

/* How often each operation of a target is drawn. */
#define MAX_OPS 16 /* reads and writes together */
struct mix {
    uint64_t weights[MAX_OPS];
    uint64_t sum;
};

/* Parses operations with their weights, "write,truncate:2"; "": all, with the default of 1. `names`
 * ends with NULL. `option` is what a message names. Returns 0, or -EINVAL with a line in e. */
int mix_parse(struct mix *mix, const char *text, const char *const names[], const char *option,
              struct err *e);

/* The operation that a random number below mix->sum stands for. */
unsigned mix_at(const struct mix *mix, uint64_t number);

struct target_ops;

/* What lets a request of one kind begin. */
enum pace {
    PACE_NONE,    /* there are no requests of this kind */
    PACE_CLOSED,  /* the end of another request */
    PACE_RATE,    /* its due time */
    PACE_FOLLOWS, /* -rpw: a successful write */
};

struct kind_plan {
    enum pace pace;
    uint64_t rate; /* PACE_RATE: billionths of requests per second; in a search, the first rate */
    unsigned threads;  /* PACE_CLOSED: number of active channels; in a search, the first number */
    unsigned channels; /* most requests that can be in flight */
};

/* What the settings mean together, checked. What a single option says is in the settings alone.
 * Amounts are those of all ranks together; only `stripe` and `rank_seed` differ between ranks. A
 * rank takes its share where it uses an amount: of channels and of the budget in run_open(), of a
 * load in run_set_load(), of numbers in names.h. A target's check() adds what is its own. */
struct plan {
    const struct settings *settings;
    enum mode mode;
    const struct target_ops *target;
    const char *url;
    const char *url_source;
    struct kind_plan kinds[LOAD_KINDS];
    uint64_t reads_per_write; /* billionths; 0: reads do not depend on writes */
    uint64_t max_requests;    /* UINT64_MAX: no limit */
    uint64_t duration_ns;     /* 0: no limit; in a sweep, for each rate */
    uint64_t window_most_ns;  /* longest window of a search */
    unsigned max_channels;
    struct rate_curve curve; /* MODE_RATE: rates of reads and writes together */

    uint64_t least_body;
    uint64_t most_body;
    uint64_t fair_buckets; /* 0: uniform sizes */
    bool explains_tail;    /* finds what the slowest requests waited for */
    enum verify_mode verify;

    struct mix ops[LOAD_KINDS]; /* http, s3: set by the target */
    bool puts_nothing;          /* requests that write leave nothing that reads could choose */
    bool has_changes;           /* requests that write may change what was put */
    uint64_t timeout_ns;        /* longest time of a request */

    double max_errors; /* percent */
    uint64_t seed;
    struct stripe stripe; /* this rank's part of numbers, threads, channels and rates */
    uint64_t rank_seed;   /* seed of what differs between ranks */
};

/* Number of ranks; 1: there is no other rank. */
static inline unsigned plan_ranks(const struct plan *p)
{
    return p->stripe.others + 1;
}

static inline bool plan_has(const struct plan *p, enum load_kind kind)
{
    return p->kinds[kind].pace != PACE_NONE;
}

/* Whether the load changes during the run. */
static inline bool plan_has_steps(const struct plan *p)
{
    return p->mode == MODE_SEARCH || p->mode == MODE_SWEEP;
}

/* Whether reads choose among the run's own writes. */
static inline bool plan_reads_written(const struct plan *p)
{
    return plan_has(p, LOAD_READ) && plan_has(p, LOAD_WRITE) && !p->puts_nothing;
}
