#ifndef BONLOAD_VERDICT_VERDICT_H
#define BONLOAD_VERDICT_VERDICT_H

#include <stdint.h>

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"

/*
 * Judges whether a figure is below its limit. What was measured is a sample, so the figure has a
 * confidence interval: the true percentile lies below its upper end with 95 %, and above its lower
 * end with 95 %. The interval is that of order statistics (David and Nagaraja, "Order Statistics",
 * 2003, 7.1). Durations that are long at the same time are one piece of evidence, so the number of
 * durations is divided by the design effect, as in judge.h.
 */
enum goodness {
    GOODNESS_NONE, /* there is no limit */
    GOODNESS_GOOD, /* the upper end of the interval is below the limit */
    GOODNESS_UNKNOWN,
    GOODNESS_BAD, /* the lower end of the interval is not below the limit */
};
extern const char *const goodness_names[]; /* "good", "not good", ... */

/* Upper end of an interval when there are too few durations for one. */
#define NO_UPPER_END UINT64_MAX

struct judged {
    const struct profile_limit *limit;
    uint64_t count; /* number of durations */
    double effect;  /* design effect by which `count` is divided */
    uint64_t found_ns;
    uint64_t low_ns;
    uint64_t high_ns;
    enum goodness goodness;
};

/*
 * Judges the durations in a gauge. A limit on the maximum needs no interval, because one duration
 * decides.
 */
struct judged verdict_on(const struct gauge *g, const struct profile_limit *limit);

/*
 * Computes the ranks of the interval's ends for n independent values, counted from 1 for the
 * longest. *upper is 0 if the percentile may be above all values.
 */
void interval_ranks(uint64_t n, double percent, uint64_t *upper, uint64_t *lower);

#endif
