#ifndef BONLOAD_CONTROL_JUDGE_H
#define BONLOAD_CONTROL_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/plan/words.h"
#include "bonload/stats/recorder.h"

/*
 * Judges whether a load keeps the limit of a search. The requests that ended in a window are fed to
 * the judge piece by piece, and it is asked repeatedly, so every bound holds for all looks
 * together:
 *
 * - For a percentile pN, the share of requests above the limit is compared with 100-N %. Requests
 *   that stall together are one piece of evidence and not many: the number of requests is divided
 *   by the design effect (Kish, "Survey Sampling", 1965), by which the variance of the share in
 *   batches exceeds that of independent requests; it is the largest of batches of 1, 2, 4, ...
 *   requests. Because a window may have seen no stall yet, stalls of a hundredth of the shortest
 *   window are always assumed. With what is left, the answer is known when the mixture of binomial
 *   likelihoods over a beta distribution is 1/alpha times the likelihood of 100-N % (Robbins,
 *   "Statistical methods related to the law of the iterated logarithm", 1970; Ville's inequality).
 * - For the mean, when the limit lies outside the normal mixture's confidence sequence (Robbins,
 *   the same; Waudby-Smith et al., "Time-uniform central limit theory and asymptotic confidence
 *   sequences", 2024), or this is narrower than 2.5 % of it. The variance is the largest of batches
 *   of 1, 2, 4, ... requests, because successive latencies depend on each other.
 * - max is broken by the first that is above, and kept after 1000 requests.
 *
 * Failures of more than 3 % of the requests break the limit, unless they are excluded; so does a
 * target that answers nothing for ten times the limit, and so do latencies above the limit that
 * keep growing, because more requests would not make their mean or share known.
 */
enum verdict {
    VERDICT_OPEN,
    VERDICT_KEPT,
    VERDICT_BROKEN,
    VERDICT_UNKNOWN,   /* the longest window was not enough; counts as broken */
    VERDICT_UNSETTLED, /* requests of the previous load did not end; counts as broken */
};
extern const char *const verdict_names[];

/*
 * Batches of 2^k requests, where k is the number of the level, and the mean of each: the share of
 * requests above the limit, or the latency in units of the limit.
 */
struct judge_level {
    double open;     /* number of requests in the unfinished batch */
    double open_sum; /* and their sum */
    double batches;
    double sum;     /* sum of the batches' means */
    double squares; /* sum of their squares */
};

#define JUDGE_LEVELS 32

/*
 * The mean latencies of the pieces, in periods each of which lasts as long as all before it
 * together: latencies grow when the lowest of a period is above the highest of all but the previous
 * one.
 */
struct judge_trend {
    uint64_t end_ns; /* end of the current period */
    double lowest;
    double highest;
    double highest_before; /* highest of the previous period */
    double highest_early;  /* highest of all earlier periods */
    bool grows;
};

struct judge_rules {
    struct latency_limit limit;
    bool counts_errors;
    double alpha;      /* probability of a wrong verdict */
    uint64_t stall_ns; /* length of the stalls that are assumed even if none was seen */
    uint64_t most_ns;  /* limit on the length of the window */
};

struct judge {
    struct judge_rules rules;
    struct judge_level levels[JUDGE_LEVELS];
    struct judge_trend trend;
    unsigned pieces; /* number of pieces in which a request ended */
    struct counts seen;
    uint64_t elapsed_ns;
    uint64_t silent_ns; /* how long requests have been in flight while none ended */
};

void judge_begin(struct judge *j, const struct judge_rules *rules);

/*
 * Feeds the requests that ended in the elapsed_ns since the last call, and whether others are in
 * flight.
 */
void judge_feed(struct judge *j, const struct counts *ended, uint64_t elapsed_ns, bool in_flight);

/* The verdict so far. */
enum verdict judge_verdict(const struct judge *j);

/* Whether the observed requests keep the limit, even if by chance. */
bool judge_seems_kept(const struct judge_rules *rules, const struct counts *seen);

/* The mean, and half the width of its interval, in ns; infinite with too few batches or pieces. */
struct estimate {
    double mean;
    double half_width;
};
struct estimate judge_mean(const struct judge *j);

/*
 * The design effect, which measures how much requests depend on each other; 1 if they do not. For
 * percentiles.
 */
double judge_design_effect(const struct judge *j);

#endif
