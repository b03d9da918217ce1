#ifndef MEASURE_ROUND_H
#define MEASURE_ROUND_H

#include <stdint.h>

#include "measure/op_stats.h"

/* One round of a test that is repeated until its figure is steady. */
struct round {
    uint64_t end_ns; /* end of the round, on the clock of the test, which stops between rounds */
    uint64_t elapsed_ns; /* duration of the round */
    uint64_t ops;
    uint64_t bytes;
    uint64_t mean_ns; /* mean of the latencies */
    uint64_t p99_ns;
};

/* Which figure is judged. */
enum round_metric { ROUND_IOPS, ROUND_BANDWIDTH, ROUND_LATENCY, ROUND_P99, ROUND_METRICS };

/* The names "iops", "bandwidth", "latency" and "p99", with a NULL at the end. */
extern const char *const round_metric_names[ROUND_METRICS + 1];

/* Makes the round from start_ns to end_ns, in which *counted was counted. */
struct round round_of(const struct op_stats *counted, uint64_t start_ns, uint64_t end_ns);

/* The figure of a round, in "ops/s", "KiB/s" or "ns"; 0 if the round took no time. */
double round_figure(const struct round *r, enum round_metric metric);
const char *round_unit(enum round_metric metric);

#endif
