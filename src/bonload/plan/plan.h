// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bonload/plan/course.h"
#include "bonload/plan/mix.h"
#include "bonload/plan/settings.h"
#include "util/partition.h"

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

/*
 * What the settings mean together, checked. What a single option says is in the settings alone.
 * Amounts are those of all ranks together; only `stripe` and `rank_seed` differ between ranks. A
 * rank takes its share where it uses an amount: of channels and of the budget in run_open(), of a
 * load in run_set_load(), of numbers in names.h and sizes.h; its ledger has numbers of its own. A
 * target's check() adds what is the target's own.
 */
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
    uint64_t warmup_ns;

    struct latency_limit limit; /* MODE_SEARCH */
    enum search_for search;
    uint64_t window_ns;      /* shortest window of a search */
    uint64_t window_most_ns; /* longest window of a search */
    bool adjust_on_errors;
    unsigned max_channels;
    struct course course; /* MODE_RATE: rates of reads and writes together */

    uint64_t least_body;
    uint64_t most_body;
    uint64_t fair_buckets; /* 0: uniform sizes */
    bool explains_tail;    /* finds what the slowest requests waited for */
    enum verify_mode verify;

    struct mix ops[LOAD_KINDS]; /* http, s3: set by the target */
    bool puts_nothing;          /* requests that write leave nothing that reads could choose */
    bool has_changes;           /* requests that write may change what was put */
    uint64_t range_bytes;       /* number of bytes of an object that reads get; 0: all of it */
    uint64_t timeout_ns;        /* longest time of a request */

    double max_errors; /* percent */
    uint64_t seed;
    struct stripe stripe; /* this rank's part of numbers, threads, channels and rates */
    uint64_t rank_seed;   /* seed of what differs between ranks */
};

/* This rank's share of a total. */
static inline uint64_t plan_share(const struct plan *p, uint64_t total)
{
    return stripe_count(&p->stripe, total);
}

/* Number of ranks; 1: there is no other rank. */
static inline unsigned plan_ranks(const struct plan *p)
{
    return p->stripe.others + 1;
}

static inline bool plan_has(const struct plan *p, enum load_kind kind)
{
    return p->kinds[kind].pace != PACE_NONE;
}

/* Whether reads choose among the run's own writes. */
static inline bool plan_reads_written(const struct plan *p)
{
    return plan_has(p, LOAD_READ) && plan_has(p, LOAD_WRITE) && !p->puts_nothing;
}
