#ifndef BONLOAD_PLAN_PLAN_H
#define BONLOAD_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/plan/course.h"
#include "bonload/plan/mix.h"
#include "bonload/plan/settings.h"
#include "bonload/plan/words.h"
#include "util/partition.h"

struct target_ops;

/* What makes a request of one kind begin. */
enum pace {
    PACE_NONE,    /* there are no such requests */
    PACE_CLOSED,  /* the end of another request */
    PACE_RATE,    /* its due time */
    PACE_FOLLOWS, /* -rpw: a write that has succeeded */
};

struct kind_plan {
    enum pace pace;
    uint64_t rate; /* PACE_RATE: billionths of requests per second; in a search, the first rate */
    unsigned threads;  /* PACE_CLOSED: active channels; in a search, at first */
    unsigned channels; /* largest number of requests in flight */
};

/*
 * Settings and defaults, combined and checked. All ranks have the same plan, with the amounts of
 * all together; only `stripe` differs between them.
 */
struct plan {
    enum mode mode;
    const struct target_ops *target;
    const char *url;
    const char *url_source;
    struct kind_plan kinds[LOAD_KINDS];
    enum arrival arrival;
    uint64_t reads_per_write; /* billionths; 0: they are independent */
    uint64_t max_requests;    /* UINT64_MAX: no limit */
    uint64_t duration_ns;     /* 0: no limit; in a sweep: at each rate */
    uint64_t warmup_ns;

    struct latency_limit limit; /* MODE_SEARCH */
    enum search_for search;
    uint64_t window_ns;      /* shortest window */
    uint64_t window_most_ns; /* longest window */
    bool adjust_on_errors;
    unsigned max_channels;
    uint64_t sweep[SWEEP_MOST]; /* rates of all requests together */
    size_t sweep_count;
    struct course course; /* MODE_RATE: of all requests together */
    bool stop_on_bad_rate;

    uint64_t least_body;
    uint64_t most_body;
    uint64_t fair_buckets; /* 0: uniform sizes */
    const char *written_dump;
    bool make_directories;
    bool cleanup;
    uint64_t chunk_bytes;
    bool direct;
    bool evict; /* evict a file's pages before it is read */
    bool fsync;
    enum verify_mode verify;

    struct mix ops[LOAD_KINDS];      /* http, s3; the target fills them */
    bool puts_nothing;               /* writing requests leave nothing that reads could choose */
    bool has_changes;                /* they may change what was put */
    uint64_t range_bytes;            /* how much of an object get reads; 0: all of it */
    uint64_t timeout_ns;             /* of a request */
    const struct settings *settings; /* http, s3: settings that only the target reads */

    const char *meta_ops; /* "": all */
    unsigned xattr_keys;
    size_t xattr_length;
    uint64_t offset_limit;

    enum output_format output;
    bool show_progress;
    const char *timeline_file;
    double max_errors; /* percent */
    uint64_t seed;
    struct stripe stripe; /* this rank's share of numbers, threads, channels and rates */
    uint64_t rank_seed;   /* seed of what must differ between ranks; for a single rank, the seed */
    bool verbose;
    bool memory_debug;
};

/* This rank's share of a total. */
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
    return plan_has(p, LOAD_READ) && plan_has(p, LOAD_WRITE) && !p->puts_nothing;
}

#endif
