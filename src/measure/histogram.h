// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* A distribution of latencies in nanoseconds. It has a fixed size and no pointers, so it can be in
 * a mapping that processes share. All zeros are an empty histogram.
 *
 * The buckets are log-linear: each value below 1024 has a bucket of its own, and each doubling
 * above has 512 buckets, so the middle of a bucket is off by at most 1/1024 of the value (the
 * layout of HdrHistogram by Gil Tene). Minimum, maximum and sum are exact. Values of 2^42 ns (73
 * minutes) and more share the last bucket. */
#define HISTOGRAM_SUB_BITS 9
#define HISTOGRAM_TOP_BITS 42
#define HISTOGRAM_SUB      (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS  ((HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

struct histogram {
    uint64_t count, sum, maximum;
    uint64_t inverted_minimum; /* ~minimum; 0: the histogram is empty */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline unsigned histogram_bucket(uint64_t value)
{
    unsigned top = 63 - (unsigned)__builtin_clzll(value | HISTOGRAM_SUB);
    unsigned shift = top - HISTOGRAM_SUB_BITS;
    if (top >= HISTOGRAM_TOP_BITS)
        return HISTOGRAM_BUCKETS - 1;
    return shift * HISTOGRAM_SUB + (unsigned)(value >> shift);
}

static inline void histogram_record(struct histogram *h, uint64_t value)
{
    h->count++;
    h->sum += value;
    if (value > h->maximum)
        h->maximum = value;
    if (~value > h->inverted_minimum)
        h->inverted_minimum = ~value;
    h->buckets[histogram_bucket(value)]++;
}

/* The range of buckets that have all values of a histogram: from `first` to `end` - 1. */
struct histogram_range {
    unsigned first, end;
};

static inline struct histogram_range histogram_range(uint64_t inverted_minimum, uint64_t maximum)
{
    if (maximum < ~inverted_minimum) /* the histogram is empty */
        return (struct histogram_range){0};
    return (struct histogram_range){.first = histogram_bucket(~inverted_minimum),
                                    .end = histogram_bucket(maximum) + 1};
}

void histogram_clear(struct histogram *h);

/* Adds all values of *part to *whole. Other threads may be adding to *part: the count is that of
 * the buckets that were read, so percentiles are right. */
void histogram_merge(struct histogram *whole, const struct histogram *part);

/* Computes the values that were recorded between two readings of a histogram, of which the later
 * may be *difference itself. Minimum and maximum come from the buckets that have grown, so they are
 * exact only to within 0.1 %. */
void histogram_subtract(struct histogram *difference, const struct histogram *now,
                        const struct histogram *before);

uint64_t histogram_middle(unsigned bucket);

/* Stores the `most` largest values, the largest first. The largest is exact, the others to within
 * 0.1 %. Returns the number of values, which is smaller if the histogram has fewer. */
unsigned histogram_largest(const struct histogram *h, uint64_t values[], unsigned most);

/* The smallest value, and the mean, both exact; 0: the histogram is empty. */
uint64_t histogram_minimum(const struct histogram *h);
double histogram_mean(const struct histogram *h);

/* The value that `percent` (above 0, at most 100) of all values do not exceed (nearest rank), to
 * within 0.1 %; 0: the histogram is empty. */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* Fewest values that can show a percentile, to two decimals: p99 takes 100, p99.9 takes 1000, and
 * 100, the maximum, takes one; and whether so many can. */
uint64_t percentile_needs(double percent);
static inline bool percentile_is_known(uint64_t count, double percent)
{
    return count >= percentile_needs(percent);
}

/* The percentile, as reports print it; 0: there are too few values to show it. */
uint64_t histogram_known_percentile(const struct histogram *h, double percent);

/* The value of this rank, counted from 1 for the smallest, to within 0.1 %; the maximum if there
 * are fewer values. A percentage computed from a rank may be one off. */
uint64_t histogram_at_rank(const struct histogram *h, uint64_t rank);

/* How long operations took, in nanoseconds. Percentiles that too few can show are 0. */
struct latencies {
    uint64_t min, mean, p50, p90, p95, p99, p99_9, p99_99, max;
};

struct latencies latencies_of(const struct histogram *h);

/* What one worker counts, to which no other writes; afterwards they are added up. It has no
 * pointers, so that forked processes can share it. */
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
