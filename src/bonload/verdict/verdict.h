#ifndef BONLOAD_VERDICT_VERDICT_H
#define BONLOAD_VERDICT_VERDICT_H

#include <stdint.h>

#include "bonload/profiles/profile.h"
#include "bonload/targets/profile/gauge.h"

/*
 * Whether a figure is below its limit. The measurements are a sample, so the figure has a
 * confidence interval: the true percentile lies below its upper end with 95 %, and above its lower
 * end with 95 %. The interval is that of order statistics (David and Nagaraja, "Order Statistics",
 * 2003, 7.1). Durations that are long at the same time are a single piece of evidence: the number
 * of durations is divided by the design effect, as in judge.h.
 */
enum goodness {
    GOODNESS_NONE, /* there is no limit */
    GOODNESS_GOOD, /* the upper end of the interval is below the limit */
    GOODNESS_UNKNOWN,
    GOODNESS_BAD, /* the lower end is not below it */
};
extern const char *const goodness_names[]; /* "good", "not good", ... */

/* The upper end if there are too few durations for one. */
#define NO_UPPER_END UINT64_MAX

struct judged {
    const struct profile_limit *limit;
    uint64_t count; /* number of durations */
    double effect;  /* design effect, by which that is divided */
    uint64_t found_ns;
    uint64_t low_ns;
    uint64_t high_ns;
    enum goodness goodness;
};

/*
 * Judges the durations in a gauge. A limit on the maximum needs no interval: one duration is
 * enough.
 */
struct judged verdict_on(const struct gauge *g, const struct profile_limit *limit);

/*
 * The ranks, from 1 for the longest on, of the ends of that interval for n independent values;
 * *upper is 0 if the percentile may be above all of them.
 */
void interval_ranks(uint64_t n, double percent, uint64_t *upper, uint64_t *lower);

#endif
