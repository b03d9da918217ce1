#ifndef MEASURE_INTERVAL_H
#define MEASURE_INTERVAL_H

#include <stdint.h>

/* What was done in a second or so of a test. */
struct interval {
    uint64_t end_ns; /* since the start of the test */
    uint64_t ops;    /* that ended in it */
    uint64_t bytes;
    uint64_t p50_ns; /* of their latencies */
    uint64_t p99_ns;
    uint64_t max_ns;
};

#endif
