// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/verdict/verdict.h"

#include <math.h>

#include "util/units.h"

/* Probability that the true percentile lies beyond one end of the interval. */
#define TAIL .05

/* Least share of the requests that came due. */
#define LEAST_MADE .99

/* Length of the stalls that are assumed even if none was seen, as in a search. */
#define STALL_NS (BILLION / 100)

const char *const goodness_names[] = {
    [GOODNESS_NONE] = "no verdict",
    [GOODNESS_GOOD] = "good",
    [GOODNESS_UNKNOWN] = "unknown",
    [GOODNESS_BAD] = "not good",
};

static double binomial(uint64_t n, uint64_t k, double share)
{
    double all = (double)n;
    double some = (double)k;
    return exp(lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1) + some * log(share) +
               (all - some) * log1p(-share));
}

/*
 * Of n values, the number K above the percentile is binomially distributed. The percentile is above
 * the value of rank r + 1 only if K <= r, and below that of rank r only if K >= r.
 */
void interval_ranks(uint64_t n, double percent, uint64_t *upper, uint64_t *lower)
{
    double share = 1 - percent / 100;
    double below = 0; /* P(K < k) */
    *upper = 0;
    *lower = n;
    for (uint64_t k = 0; k <= n; k++) {
        if (below >= 1 - TAIL) {
            *lower = k > 0 ? k : 1;
            break;
        }
        below += binomial(n, k, share);
        if (below <= TAIL)
            *upper = k + 1;
    }
}

static double design_effect(const struct gauge *g, const struct profile_limit *limit)
{
    struct sequential_test test;
    const struct sequential_test_rules rules = {
        .limit = {.of = LIMIT_PERCENTILE,
                  .percent = limit->percent,
                  .nanoseconds = limit->nanoseconds},
        .alpha = 2 * TAIL,
        .stall_ns = STALL_NS,
        .most_ns = GAUGE_SLICES * GAUGE_SLICE_NS,
    };
    sequential_test_begin(&test, &rules);
    for (unsigned i = 0; i < g->used; i++) {
        const struct gauge_slice *s = &g->slices[i];
        const struct counts ended = {.good = s->count, .above = s->above};
        sequential_test_feed(&test, &ended, GAUGE_SLICE_NS, false);
    }
    return sequential_test_design_effect(&test);
}

/*
 * The value of a rank, counted from 1 for the longest, if n values stand for all. The share of
 * longer values, (rank - 1) / n, is kept.
 */
static uint64_t value_of_rank(const struct histogram *h, uint64_t rank, uint64_t n)
{
    if (rank <= 1)
        return h->maximum;
    return histogram_at_rank(h, h->count - h->count * (rank - 1) / n);
}

static void find_interval(const struct gauge *g, struct judged_limit *j)
{
    uint64_t upper;
    uint64_t lower;
    uint64_t n = (uint64_t)((double)j->count / design_effect(g, j->limit));
    if (n == 0)
        n = 1;
    interval_ranks(n, j->limit->percent, &upper, &lower);
    j->low_ns = value_of_rank(&g->durations, lower, n);
    j->high_ns = upper > 0 ? value_of_rank(&g->durations, upper, n) : NO_UPPER_END;
}

struct judged_limit verdict_on(const struct gauge *g, const struct profile_limit *limit,
                               const struct circumstances *c)
{
    struct judged_limit j = {.limit = limit,
                             .count = g->durations.count,
                             .high_ns = NO_UPPER_END,
                             .outlasts_load = g->outlasts_load,
                             .goodness = GOODNESS_UNKNOWN};
    if (j.count == 0)
        return j;
    j.found_ns = j.low_ns = j.high_ns = g->durations.maximum;
    if (limit->percent < 100) {
        j.found_ns = histogram_percentile(&g->durations, limit->percent);
        find_interval(g, &j);
    }
    if (j.outlasts_load && j.high_ns < g->durations.maximum)
        j.high_ns = g->durations.maximum;
    j.is_withheld = j.low_ns >= limit->nanoseconds && c->is_busy;
    if (j.low_ns >= limit->nanoseconds && !c->is_busy)
        j.goodness = GOODNESS_BAD;
    else if (j.high_ns < limit->nanoseconds && c->is_load_made)
        j.goodness = GOODNESS_GOOD;
    return j;
}

bool at_load_is_made(const struct at_load *l)
{
    return l->achieved >= LEAST_MADE * l->offered;
}

static double nearness(const struct judged_limit *j)
{
    return (double)j->found_ns / (double)j->limit->nanoseconds;
}

const struct judged_limit *answer_decider(const struct answer *a, const struct at_load **load)
{
    const struct judged_limit *decider = NULL;
    *load = NULL;
    for (size_t i = 0; i < a->load_count; i++) {
        for (size_t k = 0; k < a->loads[i].judged_count; k++) {
            const struct judged_limit *j = &a->loads[i].judged[k];
            if (!decider || j->goodness > decider->goodness ||
                (j->goodness == decider->goodness && nearness(j) > nearness(decider))) {
                decider = j;
                *load = &a->loads[i];
            }
        }
    }
    return decider;
}

bool answer_is_certain(const struct answer *a)
{
    return a->profile.limits[0].name && a->durability.kind == DURABILITY_NONE;
}

enum goodness answer_goodness(const struct answer *a)
{
    const struct at_load *load;
    const struct judged_limit *j = answer_decider(a, &load);
    if (answer_is_certain(a))
        return GOODNESS_BAD;
    if (j)
        return j->goodness;
    return a->profile.limits[0].name ? GOODNESS_UNKNOWN : GOODNESS_NONE;
}
