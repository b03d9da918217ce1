#ifndef MEASURE_ROUND_H
#define MEASURE_ROUND_H

#include <stdint.h>

#include "measure/op_stats.h"

/* What was done in one round of a test that is repeated until its figure is steady. */
struct round {
    uint64_t end_ns;     /* on the clock of the test, which stands still between rounds */
    uint64_t elapsed_ns; /* of this round */
    uint64_t ops;
    uint64_t bytes;
    uint64_t mean_ns; /* of the latencies */
    uint64_t p99_ns;
};

/* Which of its figures is looked at. */
enum round_metric { ROUND_IOPS, ROUND_BANDWIDTH, ROUND_LATENCY, ROUND_P99, ROUND_METRICS };

/* "iops", "bandwidth", "latency", "p99"; NULL behind the last. */
extern const char *const round_metric_names[ROUND_METRICS + 1];

/* The round that began at start_ns and ended at end_ns, in which this was counted. */
struct round round_of(const struct op_stats *counted, uint64_t start_ns, uint64_t end_ns);

/* The figure, and its unit: "ops/s", "KiB/s", "ns". Of a round that took no time, 0. */
double round_figure(const struct round *r, enum round_metric metric);
const char *round_unit(enum round_metric metric);

#endif
