#ifndef MEASURE_LATENCIES_H
#define MEASURE_LATENCIES_H

#include <stdint.h>

#include "measure/histogram.h"

/* How long operations took, in nanoseconds. */
struct latencies {
    uint64_t min;
    uint64_t mean;
    uint64_t p50;
    uint64_t p90;
    uint64_t p95;
    uint64_t p99;
    uint64_t p99_9;
    uint64_t p99_99;
    uint64_t max;
};

/* The latencies that a histogram of nanoseconds contains. */
struct latencies latencies_of(const struct histogram *h);

#endif
