#ifndef BONNIE_MEASURE_SAMPLES_H
#define BONNIE_MEASURE_SAMPLES_H

#include <stdint.h>

#include "measure/histogram.h"

/*
 * What one worker or seeker counts while it works. Each owns its samples alone; they are added up
 * after the phase. They hold no pointers, so a forked seeker can keep its own in a shared mapping.
 */
struct samples {
    uint64_t bytes;             /* bytes that the rate counts: a rewritten chunk once */
    struct histogram latencies; /* of every operation that the rate counts */
};

/* Counts an operation that took nanoseconds and moved bytes. */
static inline void samples_add(struct samples *s, uint64_t nanoseconds, uint64_t bytes)
{
    s->bytes += bytes;
    histogram_record(&s->latencies, nanoseconds);
}

/* Adds what part counted to whole. */
static inline void samples_merge(struct samples *whole, const struct samples *part)
{
    whole->bytes += part->bytes;
    histogram_merge(&whole->latencies, &part->latencies);
}

/* What was counted between two looks at the same samples (histogram_subtract). */
static inline void samples_subtract(struct samples *difference, const struct samples *now,
                                    const struct samples *before)
{
    difference->bytes = now->bytes - before->bytes;
    histogram_subtract(&difference->latencies, &now->latencies, &before->latencies);
}

#endif
