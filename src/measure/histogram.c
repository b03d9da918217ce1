// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/histogram.h"

#include <float.h>
#include <math.h>

void histogram_clear(struct histogram *h)
{
    const struct histogram_range range = histogram_range(h->inverted_minimum, h->maximum);
    memset(h->buckets + range.first, 0, (range.end - range.first) * sizeof *h->buckets);
    h->count = h->sum = h->maximum = h->inverted_minimum = 0;
}

void histogram_merge(struct histogram *whole, const struct histogram *part)
{
    uint64_t maximum = __atomic_load_n(&part->maximum, __ATOMIC_RELAXED);
    uint64_t minimum = __atomic_load_n(&part->inverted_minimum, __ATOMIC_RELAXED);
    const struct histogram_range range = histogram_range(minimum, maximum);
    whole->sum += __atomic_load_n(&part->sum, __ATOMIC_RELAXED);
    if (maximum > whole->maximum)
        whole->maximum = maximum;
    if (minimum > whole->inverted_minimum)
        whole->inverted_minimum = minimum;
    for (unsigned i = range.first; i < range.end; i++) {
        uint64_t here = __atomic_load_n(&part->buckets[i], __ATOMIC_RELAXED);
        whole->buckets[i] += here;
        whole->count += here;
    }
}

unsigned histogram_largest(const struct histogram *h, uint64_t values[], unsigned most)
{
    const struct histogram_range range = histogram_range(h->inverted_minimum, h->maximum);
    unsigned count = 0;
    for (unsigned bucket = range.end; bucket-- > range.first && count < most;) {
        uint64_t middle = histogram_middle(bucket);
        for (uint64_t left = h->buckets[bucket]; left > 0 && count < most; left--)
            values[count++] = middle < h->maximum ? middle : h->maximum;
    }
    if (count > 0)
        values[0] = h->maximum;
    return count;
}

uint64_t histogram_minimum(const struct histogram *h)
{
    return h->count > 0 ? ~h->inverted_minimum : 0;
}

uint64_t histogram_middle(unsigned bucket)
{
    unsigned shift = bucket < 2 * HISTOGRAM_SUB ? 0 : bucket / HISTOGRAM_SUB - 1;
    uint64_t low = (uint64_t)(bucket - shift * HISTOGRAM_SUB) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

void histogram_subtract(struct histogram *difference, const struct histogram *now,
                        const struct histogram *before)
{
    const struct histogram_range range = histogram_range(now->inverted_minimum, now->maximum);
    const uint64_t maximum = now->maximum;
    const uint64_t sum = now->sum - before->sum;
    if (difference != now)
        *difference = (struct histogram){0};
    difference->sum = sum;
    difference->count = difference->maximum = difference->inverted_minimum = 0;
    for (unsigned i = range.first; i < range.end; i++) {
        uint64_t grown = now->buckets[i] - before->buckets[i];
        difference->buckets[i] = grown;
        if (grown == 0)
            continue;
        difference->count += grown;
        difference->maximum = histogram_middle(i);
        if (difference->inverted_minimum == 0)
            difference->inverted_minimum = ~histogram_middle(i);
    }
    /* The middle of the last bucket says nothing, and no other middle may exceed the largest value.
     * If all values are in the bucket of the largest, the minimum is limited, too: above the
     * maximum it would tell histogram_clear() that the histogram is empty. */
    if (difference->maximum > maximum || difference->buckets[HISTOGRAM_BUCKETS - 1] > 0)
        difference->maximum = maximum;
    if (difference->count > 0 && ~difference->inverted_minimum > difference->maximum)
        difference->inverted_minimum = ~difference->maximum;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
    /* 41,000 * 99.9 / 100 is above 40,959 by a rounding error, and not by a value */
    double rank = ceil((double)h->count * percent / 100 * (1 - 4 * DBL_EPSILON));
    return histogram_at_rank(h, (uint64_t)rank);
}

uint64_t percentile_needs(double percent)
{
    uint64_t above = (uint64_t)lround((100 - percent) * 100); /* of 10,000 values */
    return above > 0 ? (10000 + above - 1) / above : 1;
}

uint64_t histogram_known_percentile(const struct histogram *h, double percent)
{
    return percentile_is_known(h->count, percent) ? histogram_percentile(h, percent) : 0;
}

uint64_t histogram_at_rank(const struct histogram *h, uint64_t rank)
{
    uint64_t wanted = rank < 1 ? 1 : rank;
    uint64_t seen = 0;
    const struct histogram_range range = histogram_range(h->inverted_minimum, h->maximum);
    for (unsigned i = range.first; i < range.end; i++) {
        seen += h->buckets[i];
        if (seen < wanted)
            continue;
        /* the middle of the bucket, limited to the range of the recorded values */
        uint64_t middle = histogram_middle(i);
        if (middle > h->maximum || i == HISTOGRAM_BUCKETS - 1)
            break;
        return middle < ~h->inverted_minimum ? ~h->inverted_minimum : middle;
    }
    return h->maximum;
}

double histogram_mean(const struct histogram *h)
{
    return h->count > 0 ? (double)h->sum / (double)h->count : 0;
}

struct latencies latencies_of(const struct histogram *h)
{
    return (struct latencies){
        .min = histogram_minimum(h),
        .mean = (uint64_t)histogram_mean(h),
        .p50 = histogram_known_percentile(h, 50),
        .p90 = histogram_known_percentile(h, 90),
        .p95 = histogram_known_percentile(h, 95),
        .p99 = histogram_known_percentile(h, 99),
        .p99_9 = histogram_known_percentile(h, 99.9),
        .p99_99 = histogram_known_percentile(h, 99.99),
        .max = h->maximum,
    };
}
