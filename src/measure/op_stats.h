#ifndef MEASURE_OP_STATS_H
#define MEASURE_OP_STATS_H

#include <stdint.h>

#include "measure/histogram.h"

/*
 * What one worker counts while it works. Each worker has its own, and nothing else writes to them;
 * they are added up afterwards. They hold no pointers, so they can lie in a mapping that forked
 * processes share, and adding those of several processes or ranks is a plain sum.
 */
struct op_stats {
    uint64_t bytes;             /* bytes that the rate counts: a rewritten chunk once */
    uint64_t errors;            /* operations that failed, where a failure does not end the run */
    uint64_t in_flight_ns;      /* number of transfers in flight, integrated over time */
    struct histogram latencies; /* of every operation that the rate counts */
};

/* Counts an operation that took nanoseconds and moved bytes. */
static inline void op_stats_add(struct op_stats *s, uint64_t nanoseconds, uint64_t bytes)
{
    s->bytes += bytes;
    histogram_record(&s->latencies, nanoseconds);
}

/* Adds what part counted to whole. */
static inline void op_stats_merge(struct op_stats *whole, const struct op_stats *part)
{
    whole->bytes += part->bytes;
    whole->errors += part->errors;
    whole->in_flight_ns += part->in_flight_ns;
    histogram_merge(&whole->latencies, &part->latencies);
}

/* What was counted between two looks at the same statistics (histogram_subtract). */
static inline void op_stats_subtract(struct op_stats *difference, const struct op_stats *now,
                                     const struct op_stats *before)
{
    difference->bytes = now->bytes - before->bytes;
    difference->errors = now->errors - before->errors;
    difference->in_flight_ns = now->in_flight_ns - before->in_flight_ns;
    histogram_subtract(&difference->latencies, &now->latencies, &before->latencies);
}

/* The two times of one operation that has ended; they differ only where it was due at a time. */
struct op_times {
    uint64_t end_ns;      /* when it ended, on clock_ns() */
    uint64_t response_ns; /* from when it was due to its end */
    uint64_t service_ns;  /* from when it was submitted to its end */
};

/*
 * Both times of many operations. A histogram takes 139 KB, so only a program that reports service
 * times has the second one, and it decides where both lie: they belong to a thread, not to each
 * channel.
 */
struct op_record {
    struct op_stats *ops;      /* its latencies are response times */
    struct histogram *service; /* NULL: not wanted */
};

/* Counts an operation that moved bytes. */
static inline void op_record_add(const struct op_record *r, const struct op_times *times,
                                 uint64_t bytes)
{
    op_stats_add(r->ops, times->response_ns, bytes);
    if (r->service)
        histogram_record(r->service, times->service_ns);
}

#endif
