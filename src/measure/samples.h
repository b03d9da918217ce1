#ifndef BONNIE_MEASURE_SAMPLES_H
#define BONNIE_MEASURE_SAMPLES_H

#include <stdint.h>

/*
 * What one worker or seeker counts while it works. Each owns its samples alone; they are added up
 * after the phase. They hold no pointers, so a forked seeker can keep its own in a shared mapping.
 */
struct samples {
    uint64_t ops;            /* operations that the test's rate counts */
    uint64_t bytes;          /* bytes that the rate counts: a rewritten chunk once */
    uint64_t latency_max_ns; /* the longest single operation */
};

/* Counts an operation that took nanoseconds and moved bytes. */
static inline void samples_add(struct samples *s, uint64_t nanoseconds, uint64_t bytes)
{
    s->ops++;
    s->bytes += bytes;
    if (nanoseconds > s->latency_max_ns)
        s->latency_max_ns = nanoseconds;
}

/* Adds what part counted to whole. */
static inline void samples_merge(struct samples *whole, const struct samples *part)
{
    whole->ops += part->ops;
    whole->bytes += part->bytes;
    if (part->latency_max_ns > whole->latency_max_ns)
        whole->latency_max_ns = part->latency_max_ns;
}

#endif
