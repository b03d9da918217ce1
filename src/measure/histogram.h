#ifndef MEASURE_HISTOGRAM_H
#define MEASURE_HISTOGRAM_H

#include <stdint.h>

/*
 * A distribution of latencies in nanoseconds. It has a fixed size and no pointers, so it can be in
 * a mapping that processes share. All zeros are an empty histogram.
 *
 * The buckets are log-linear: each value below 1024 has a bucket of its own, and each doubling
 * above has 512 buckets, so the middle of a bucket is off by at most 1/1024 of the value (the
 * layout of HdrHistogram by Gil Tene). Minimum, maximum and sum are exact. Values of 2^42 ns (73
 * minutes) and more share the last bucket.
 */
#define HISTOGRAM_SUB_BITS 9
#define HISTOGRAM_TOP_BITS 42
#define HISTOGRAM_SUB      (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS  ((HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

struct histogram {
    uint64_t count;
    uint64_t sum;
    uint64_t maximum;
    uint64_t inverted_minimum; /* ~minimum; 0: the histogram is empty */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* The bucket of a value. */
static inline unsigned histogram_bucket(uint64_t value)
{
    unsigned top = 63 - (unsigned)__builtin_clzll(value | HISTOGRAM_SUB);
    unsigned shift = top - HISTOGRAM_SUB_BITS;
    if (top >= HISTOGRAM_TOP_BITS)
        return HISTOGRAM_BUCKETS - 1;
    return shift * HISTOGRAM_SUB + (unsigned)(value >> shift);
}

/* Adds one value. */
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
struct histogram_span {
    unsigned first;
    unsigned end;
};

static inline struct histogram_span histogram_span(uint64_t inverted_minimum, uint64_t maximum)
{
    if (maximum < ~inverted_minimum) /* the histogram is empty */
        return (struct histogram_span){0};
    return (struct histogram_span){.first = histogram_bucket(~inverted_minimum),
                                   .end = histogram_bucket(maximum) + 1};
}

/* Empties the histogram. */
void histogram_clear(struct histogram *h);

/*
 * Adds all values of *part to *whole. Other threads may be adding to *part: the count is that of
 * the buckets that were read, so percentiles are right.
 */
void histogram_merge(struct histogram *whole, const struct histogram *part);

/*
 * Computes the values that were recorded between two readings of a histogram. Minimum and maximum
 * come from the buckets that have grown, so they are exact only to within 0.1 %.
 */
void histogram_subtract(struct histogram *difference, const struct histogram *now,
                        const struct histogram *before);

/*
 * For readings of a histogram again and again. *now is the current reading, and becomes what is new
 * since the last one, as by histogram_subtract(). *seen, which is empty at first, becomes the
 * current reading.
 */
void histogram_advance(struct histogram *now, struct histogram *seen);

/* The middle of a bucket. */
uint64_t histogram_middle(unsigned bucket);

/*
 * Stores the `most` largest values, the largest first. The largest is exact, the others to within
 * 0.1 %. Returns the number of values, which is smaller if the histogram has fewer.
 */
unsigned histogram_largest(const struct histogram *h, uint64_t values[], unsigned most);

/* The smallest value; 0: the histogram is empty. */
uint64_t histogram_minimum(const struct histogram *h);

/*
 * The value that `percent` (above 0, at most 100) of all values do not exceed (nearest rank), to
 * within 0.1 %; 0: the histogram is empty.
 */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/*
 * The value of this rank, counted from 1 for the smallest, to within 0.1 %; the maximum if there
 * are fewer values. Where a rank is known, a detour by a percentage may be one off.
 */
uint64_t histogram_at_rank(const struct histogram *h, uint64_t rank);

/* The exact mean; 0: the histogram is empty. */
double histogram_mean(const struct histogram *h);

#endif
