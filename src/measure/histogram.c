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

/* The middle of a bucket, but never outside of what was seen. */
static uint64_t value_of(const struct histogram *h, unsigned bucket)
{
    unsigned shift = bucket < 2 * HISTOGRAM_SUB ? 0 : bucket / HISTOGRAM_SUB - 1;
    uint64_t low = (uint64_t)(bucket - shift * HISTOGRAM_SUB) << shift;
    uint64_t middle = low + ((UINT64_C(1) << shift) >> 1);
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
