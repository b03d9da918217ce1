#ifndef MEASURE_HISTOGRAM_H
#define MEASURE_HISTOGRAM_H

#include <stdint.h>

/*
 * A distribution of latencies in nanoseconds, of a fixed size and without pointers, so that it can
 * lie in a mapping that processes share. All zeros are an empty histogram.
 *
 * The buckets are log-linear: values below 1024 have a bucket each, and from there on every
 * doubling has 512, so a bucket's middle is off by at most 1/1024 of the value (the layout of
 * HdrHistogram by Gil Tene). Minimum, maximum and sum are exact. Values of 2^42 ns (73 minutes) and
 * more share the last bucket.
 */
#define HISTOGRAM_SUB_BITS 9
#define HISTOGRAM_TOP_BITS 42
#define HISTOGRAM_SUB      (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS  ((HISTOGRAM_TOP_BITS - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

struct histogram {
    uint64_t count;
    uint64_t sum;
    uint64_t maximum;
    uint64_t inverted_minimum; /* ~minimum: 0 while there is none */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* The bucket that a value belongs to. */
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

/* All values of a histogram are in the buckets from `first` to `end` - 1. */
struct histogram_span {
    unsigned first;
    unsigned end;
};

static inline struct histogram_span histogram_span(uint64_t inverted_minimum, uint64_t maximum)
{
    if (maximum < ~inverted_minimum) /* nothing was recorded */
        return (struct histogram_span){0};
    return (struct histogram_span){.first = histogram_bucket(~inverted_minimum),
                                   .end = histogram_bucket(maximum) + 1};
}

/* Empties h. */
void histogram_clear(struct histogram *h);

/* Adds all values of part to whole. */
void histogram_merge(struct histogram *whole, const struct histogram *part);

/*
 * The values recorded between two readings of one histogram. Minimum and maximum are not exact:
 * they are taken from the buckets that have grown, to within 0.1 %.
 */
void histogram_subtract(struct histogram *difference, const struct histogram *now,
                        const struct histogram *before);

/*
 * For repeated readings of one histogram: reduces `now`, its present contents, to what is new since
 * the previous reading, as histogram_subtract() does. `seen`, empty at first, becomes the present
 * contents.
 */
void histogram_advance(struct histogram *now, struct histogram *seen);

/* The middle of a bucket. */
uint64_t histogram_middle(unsigned bucket);

/*
 * The `most` largest values, the largest first, which is exact; the others are to within 0.1 %.
 * Returns their number, which is smaller where the histogram has fewer.
 */
unsigned histogram_largest(const struct histogram *h, uint64_t values[], unsigned most);

/* The smallest value; 0 when the histogram is empty. */
uint64_t histogram_minimum(const struct histogram *h);

/*
 * The value that `percent` (above 0, at most 100) of all values do not exceed (nearest rank), to
 * within 0.1 %; 0 when the histogram is empty.
 */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* The exact mean; 0 when the histogram is empty. */
double histogram_mean(const struct histogram *h);

#endif
