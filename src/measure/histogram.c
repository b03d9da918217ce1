#include "measure/histogram.h"

#include <math.h>

void histogram_merge(struct histogram *whole, const struct histogram *part)
{
    whole->count += part->count;
    whole->sum += part->sum;
    if (part->maximum > whole->maximum)
        whole->maximum = part->maximum;
    if (part->inverted_minimum > whole->inverted_minimum)
        whole->inverted_minimum = part->inverted_minimum;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        whole->buckets[i] += part->buckets[i];
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
    *difference = (struct histogram){.sum = now->sum - before->sum};
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t grown = now->buckets[i] - before->buckets[i];
        difference->buckets[i] = grown;
        difference->count += grown;
        if (grown > 0)
            difference->maximum = histogram_middle(i);
        if (grown > 0 && difference->inverted_minimum == 0)
            difference->inverted_minimum = ~histogram_middle(i);
    }
    if (difference->maximum > now->maximum || difference->buckets[HISTOGRAM_BUCKETS - 1] > 0)
        difference->maximum = now->maximum;
}

/* The middle of a bucket, but never outside of what was seen. */
static uint64_t value_of(const struct histogram *h, unsigned bucket)
{
    uint64_t middle = histogram_middle(bucket);
    if (middle > h->maximum || bucket == HISTOGRAM_BUCKETS - 1)
        return h->maximum;
    return middle < ~h->inverted_minimum ? ~h->inverted_minimum : middle;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
    double rank = ceil((double)h->count * percent / 100);
    uint64_t wanted = rank < 1 ? 1 : (uint64_t)rank;
    uint64_t seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (seen >= wanted)
            return value_of(h, i);
    }
    return h->maximum;
}

double histogram_mean(const struct histogram *h)
{
    return h->count > 0 ? (double)h->sum / (double)h->count : 0;
}

double histogram_deviation(const struct histogram *h)
{
    double mean = histogram_mean(h);
    double squares = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        double off = (double)value_of(h, i) - mean;
        squares += (double)h->buckets[i] * off * off;
    }
    return h->count > 0 ? sqrt(squares / (double)h->count) : 0;
}
