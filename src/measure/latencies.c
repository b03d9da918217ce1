#include "measure/latencies.h"

struct latencies latencies_of(const struct histogram *h)
{
    return (struct latencies){
        .min = histogram_minimum(h),
        .mean = (uint64_t)histogram_mean(h),
        .p50 = histogram_percentile(h, 50),
        .p90 = histogram_percentile(h, 90),
        .p95 = histogram_percentile(h, 95),
        .p99 = histogram_percentile(h, 99),
        .p99_9 = histogram_percentile(h, 99.9),
        .p99_99 = histogram_percentile(h, 99.99),
        .max = h->maximum,
    };
}
