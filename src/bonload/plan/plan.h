// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bonload/plan/settings.h"
#include "util/err.h"
#include "util/partition.h"

/*
 * A rate that changes with time. It changes linearly between two points, and is constant before the
 * first and after the last one. Two points at the same time make a jump.
 */
#define RATE_CURVE_MOST 1000

struct rate_curve_point {
    uint64_t at_ns;
    double rate;   /* requests per second */
    double before; /* number of requests that are due before the point */
};

struct rate_curve {
    size_t count;    /* 0: the rate is constant */
    double peak;     /* the largest rate */
    uint64_t end_ns; /* time of the last point */
    struct rate_curve_point points[RATE_CURVE_MOST];
};

/* Adds a point. Returns false when it is earlier than the last one, or there is no room. */
bool rate_curve_add(struct rate_curve *c, uint64_t at_ns, double rate);

/* Parses "100..2000/60s". Returns 0 or -EINVAL. */
int rate_curve_parse_ramp(struct rate_curve *c, const char *text);

/*
 * Adds the points of a file with a time (30s, 1m30s, or seconds) and a rate on each line; comments
 * begin with #.
 */
int rate_curve_read(struct rate_curve *c, const char *path, struct err *e);

/*
 * These need a curve with points. rate_curve_rate() returns the rate at a time, in requests per
 * second; rate_curve_due() the number of requests that are due by then; rate_curve_time() when that
 * number is reached, in ns (a quarter of UINT64_MAX: never).
 */
double rate_curve_rate(const struct rate_curve *c, uint64_t at_ns);
double rate_curve_due(const struct rate_curve *c, uint64_t at_ns);
uint64_t rate_curve_time(const struct rate_curve *c, double number);

/* How often each operation of a target is drawn. */
#define MIX_MOST 16 /* number of operations */

struct mix {
    uint64_t weights[MIX_MOST];
    uint64_t sum;
};

/*
 * Parses operations with their weights, "write,truncate:2"; a weight is 1 by default. "" means all
 * operations with a weight of 1. `names` lists the valid operations and ends with NULL. `option` is
 * the option that a message names. Returns 0, or -EINVAL with a line in e.
 */
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

/*
 * What the settings mean together, checked. What a single option says is in the settings alone.
 * Amounts are those of all ranks together; only `stripe` and `rank_seed` differ between ranks. A
 * rank takes its share where it uses an amount: of channels and of the budget in run_open(), of a
 * load in run_set_load(), of numbers in names.h; its ledger has numbers of its own. A
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
    uint64_t range_bytes;       /* number of bytes of an object that reads get; 0: all of it */
    uint64_t timeout_ns;        /* longest time of a request */

    double max_errors; /* percent */
    uint64_t seed;
    struct stripe stripe; /* this rank's part of numbers, threads, channels and rates */
    uint64_t rank_seed;   /* seed of what differs between ranks */
};

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
