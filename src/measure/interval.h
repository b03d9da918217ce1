#ifndef MEASURE_INTERVAL_H
#define MEASURE_INTERVAL_H

#include <stdint.h>

/* What a test did in an interval of about a second. */
struct interval {
    uint64_t end_ns; /* end of the interval, in ns since the start of the test */
    uint64_t ops;    /* number of operations that ended in it */
    uint64_t bytes;
    uint64_t p50_ns; /* percentiles of their latencies */
    uint64_t p99_ns;
    uint64_t max_ns;
};

#endif
