// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/load/recorder.h"

/* Whether the requests of a window keep a limit.
 *
 * A sequential test gets the requests that ended in a window piece by piece, and is asked for its
 * verdict again and again, so every bound must hold for all these looks together:
 * - For a percentile pN, the test compares the share of requests above the limit with 100-N %.
 *   Requests that stall together are one piece of evidence, so it divides the number of requests by
 *   the design effect (Kish, "Survey Sampling", 1965). This is the factor by which the variance of
 *   the share in batches exceeds that of independent requests, and the largest one of batches of
 *   1, 2, 4, ... requests counts. A window may have seen no stall yet, so the test always assumes
 *   stalls of a hundredth of the shortest window. It knows the answer when the mixture of binomial
 *   likelihoods over a beta distribution is 1/alpha times the likelihood of 100-N % (Robbins,
 *   "Statistical methods related to the law of the iterated logarithm", 1970; Ville's inequality).
 * - For the mean, the test knows the answer when the limit lies outside the normal mixture's
 *   confidence sequence (Robbins, the same; Waudby-Smith et al., "Time-uniform central limit theory
 *   and asymptotic confidence sequences", 2024), or when this is narrower than 2.5 % of the limit.
 *   Successive latencies depend on each other, so the largest variance of such batches counts.
 * - The first request above the limit breaks max; 1000 requests without one keep it.
 *
 * Three other things break the limit: failures of more than 3 % of the requests, unless failures
 * are excluded; requests in flight of which none ends for ten times the limit and half a second;
 * and latencies above the limit that keep growing, which further requests would not settle. */
enum verdict {
    VERDICT_OPEN,
    VERDICT_KEPT,
    VERDICT_BROKEN,
    VERDICT_UNKNOWN,   /* the longest window did not settle it; counts as broken */
    VERDICT_UNSETTLED, /* requests of the previous load did not end in time; counts as broken */
    VERDICT_BUSY,      /* not kept, while others used the machine; nothing is said of the store */
};

extern const struct verdict_words {
    const char *name;
    const char *key; /* in JSON */
} verdict_words[];

/* Whether the limit was broken for a reason that may have passed. */
static inline bool verdict_is_doubtful(enum verdict v)
{
    return v == VERDICT_UNSETTLED || v == VERDICT_BUSY;
}

struct sequential_test_rules {
    struct latency_limit limit;
    bool counts_errors;
    double alpha;      /* probability of a wrong verdict, over all looks */
    uint64_t stall_ns; /* length of the stalls that the test assumes even if it sees none */
    uint64_t most_ns;  /* longest window */
};

#define JUDGE_LEVELS 32

struct sequential_test {
    struct sequential_test_rules rules;
    /* Level k has batches of 2^k requests, and the mean of each batch. A request's value is its
     * latency divided by the limit, or for a percentile 1 if it is above the limit and 0 if not. */
    struct sequential_test_level {
        double open;     /* number of requests in the unfinished batch */
        double open_sum; /* sum of their values */
        double batches;
        double sum;     /* sum of the means of whole batches */
        double squares; /* sum of the squares of these means */
    } levels[JUDGE_LEVELS];
    /* Each period is as long as all earlier ones together. Latencies grow when the lowest mean of a
     * piece in one period exceeds the highest of all periods but the previous one. */
    struct sequential_test_trend {
        uint64_t end_ns; /* end of the current period, in ns since the window began */
        double lowest;
        double highest;
        double highest_before; /* highest mean of the previous period */
        double highest_early;  /* highest mean of all periods before that */
        bool grows;
    } trend;
    unsigned pieces; /* number of pieces in which a request succeeded */
    struct counts seen;
    uint64_t elapsed_ns;
    uint64_t silent_ns; /* time in flight before the first request ended */
};

void sequential_test_begin(struct sequential_test *t, const struct sequential_test_rules *rules);

/* Adds the requests that ended in the last elapsed_ns, and whether others are still in flight. */
void sequential_test_feed(struct sequential_test *t, const struct counts *ended,
                          uint64_t elapsed_ns, bool in_flight);

/* Returns the verdict so far. It needs no further requests unless it is VERDICT_OPEN. */
enum verdict sequential_test_verdict(const struct sequential_test *t);

/* Whether the requests seen keep the limit, even if only by chance. */
bool sequential_test_seems_kept(const struct sequential_test_rules *r, const struct counts *seen);

/* The mean and half the width of its interval, in ns; infinite with too few batches or pieces. */
struct estimate {
    double mean;
    double half_width;
};

struct estimate sequential_test_mean(const struct sequential_test *t);

/* The design effect of a percentile: how much requests depend on each other; 1: they do not. */
double sequential_test_design_effect(const struct sequential_test *t);
