#ifndef BONLOAD_JUDGE_H
#define BONLOAD_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/recorder.h"
#include "bonload/words.h"

/*
 * Does a load keep the limit of a search? What ended in a window is handed over piece by piece,
 * until the answer is known:
 *
 * - for a percentile pN, when the binomial 95 % interval (Wilson's) of the share of requests above
 *   the limit excludes 100-N %, or 100 of them are above;
 * - max is broken by the first that is above, and kept after 1000 requests;
 * - for the mean, when its 95 % interval excludes the limit or is narrower than 2.5 % of it. The
 *   interval comes from the means of batches, because successive latencies depend on each other:
 *   10 to 40 of them, each at least twice as long as the mean latency.
 *
 * Failures of more than 3 % of the requests break the limit, unless they are not to count.
 */
enum verdict { VERDICT_OPEN, VERDICT_KEPT, VERDICT_BROKEN };
extern const char *const verdict_names[];

#define BATCHES_MOST 40

struct batch {
    uint64_t count;
    uint64_t sum_ns;
};

struct judge {
    struct latency_limit limit;
    bool counts_errors;
    uint64_t batch_ns; /* length of a batch */
    uint64_t open_ns;  /* how long the last batch has been filled */
    unsigned batches;  /* that are full */
    struct batch list[BATCHES_MOST + 1];
    struct counts seen;
    uint64_t elapsed_ns;
};

/* Begins a window that lasts at least window_ns. */
void judge_begin(struct judge *j, const struct latency_limit *limit, bool counts_errors,
                 uint64_t window_ns);

/* Hands over what ended in the elapsed_ns since the last time. */
void judge_feed(struct judge *j, const struct counts *ended, uint64_t elapsed_ns);

/* What is known by now. */
enum verdict judge_verdict(const struct judge *j);

/* The mean and half the width of its 95 % interval, in ns; infinite with too few batches. */
struct estimate {
    double mean;
    double half_width;
};
struct estimate judge_mean(const struct judge *j);

#endif
