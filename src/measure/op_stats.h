#ifndef MEASURE_OP_STATS_H
#define MEASURE_OP_STATS_H

#include <stdint.h>

#include "measure/histogram.h"

/*
 * What one worker counts while it works. Each worker has its own struct, to which no other writes;
 * afterwards they are added up. The struct has no pointers, so it can be in a mapping that forked
 * processes share, and those of several processes or ranks can simply be added.
 */
struct op_stats {
    uint64_t bytes;        /* number of bytes that the rate counts; a rewritten chunk counts once */
    uint64_t errors;       /* number of failed operations, if failures do not end the run */
    uint64_t in_flight_ns; /* number of transfers in flight, integrated over time */
    struct histogram latencies; /* latency of every operation that the rate counts */
};

/* Counts an operation that took `nanoseconds` and moved `bytes`. */
static inline void op_stats_add(struct op_stats *s, uint64_t nanoseconds, uint64_t bytes)
{
    s->bytes += bytes;
    histogram_record(&s->latencies, nanoseconds);
}

/* Adds the counts of *part to *whole. */
static inline void op_stats_merge(struct op_stats *whole, const struct op_stats *part)
{
    whole->bytes += part->bytes;
    whole->errors += part->errors;
    whole->in_flight_ns += part->in_flight_ns;
    histogram_merge(&whole->latencies, &part->latencies);
}

/* Computes the difference between two readings of statistics (histogram_subtract()). */
static inline void op_stats_subtract(struct op_stats *difference, const struct op_stats *now,
                                     const struct op_stats *before)
{
    difference->bytes = now->bytes - before->bytes;
    difference->errors = now->errors - before->errors;
    difference->in_flight_ns = now->in_flight_ns - before->in_flight_ns;
    histogram_subtract(&difference->latencies, &now->latencies, &before->latencies);
}

#endif
