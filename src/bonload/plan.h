#ifndef BONLOAD_PLAN_H
#define BONLOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/settings.h"
#include "bonload/targets/mix.h"
#include "bonload/words.h"
#include "sync/ranks.h"
#include "util/err.h"
#include "util/partition.h"

struct target_ops;

/* How load is made. */
enum mode { MODE_RATE, MODE_THREADS, MODE_SEARCH, MODE_SWEEP };
extern const char *const mode_names[];

/* What makes a request of one kind begin. */
enum pace {
    PACE_NONE,    /* there are no such requests */
    PACE_CLOSED,  /* the end of another one */
    PACE_RATE,    /* its time */
    PACE_FOLLOWS, /* -rpw: a write that has succeeded */
};

struct kind_plan {
    enum pace pace;
    uint64_t rate;     /* PACE_RATE: billionths of requests per second; of a search: the first */
    unsigned threads;  /* PACE_CLOSED: channels that are active; of a search: at first */
    unsigned channels; /* most requests in flight */
};

/*
 * Settings and defaults joined and checked: what is going to happen. Of several ranks all have the
 * same plan, whose amounts are those of all together; only `stripe` says which of them this is.
 */
struct plan {
    enum mode mode;
    const struct target_ops *target;
    const char *url;
    const char *url_source;
    struct kind_plan kinds[LOAD_KINDS];
    enum arrival arrival;
    uint64_t reads_per_write; /* billionths; 0: no relation */
    uint64_t max_requests;    /* UINT64_MAX: no limit */
    uint64_t duration_ns;     /* 0: no limit; of a sweep: at each rate */
    uint64_t warmup_ns;

    struct latency_limit limit; /* MODE_SEARCH */
    enum search_for search;
    uint64_t window_ns;
    bool adjust_on_errors;
    unsigned max_channels;
    uint64_t sweep[SWEEP_MOST]; /* rates of all requests together */
    size_t sweep_count;
    bool stop_on_bad_rate;

    uint64_t least_body;
    uint64_t most_body;
    uint64_t fair_buckets; /* 0: uniform sizes */
    const char *written_dump;
    bool make_directories;
    bool cleanup;
    uint64_t chunk_bytes;
    bool direct;
    bool fsync;
    enum verify_mode verify;

    struct mix ops[LOAD_KINDS];      /* http, s3; filled by the target */
    bool only_removes;               /* what the writes do is take away: nothing is written */
    uint64_t timeout_ns;             /* of a request */
    const struct settings *settings; /* http, s3: what only the target knows to read */

    const char *meta_ops; /* "": all */
    unsigned xattr_keys;
    size_t xattr_length;
    uint64_t offset_limit;

    enum output_format output;
    bool show_progress;
    const char *timeline_file;
    double max_errors; /* percent */
    uint64_t seed;
    struct stripe stripe; /* of numbers, threads, channels and rates: what this rank gets */
    uint64_t rank_seed;   /* of what is not to be the same in any two ranks; alone, the seed */
    bool verbose;
    bool memory_debug;
};

/* Makes the plan; s must outlive it. Returns 0 or a negative errno with a line in e. */
int plan_make(struct plan *p, const struct settings *s, struct err *e);

/*
 * Makes the plan that of one of several ranks, which have agreed on its seed. Refuses less than one
 * thread or channel for each. Returns 0 or a negative errno with a line in e.
 */
int plan_join(struct plan *p, const struct ranks *r, struct err *e);

/* What this rank gets of a total. */
static inline uint64_t plan_share(const struct plan *p, uint64_t total)
{
    return stripe_count(&p->stripe, total);
}

/* Number of ranks; 1: there are no others. */
static inline unsigned plan_ranks(const struct plan *p)
{
    return p->stripe.others + 1;
}

static inline bool plan_has(const struct plan *p, enum load_kind kind)
{
    return p->kinds[kind].pace != PACE_NONE;
}

/* True when reads choose among what the run has written. */
static inline bool plan_reads_written(const struct plan *p)
{
    return plan_has(p, LOAD_READ) && plan_has(p, LOAD_WRITE) && !p->only_removes;
}

#endif
