// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/histogram.h"

/* One round of a test that is repeated until its figure is steady. */
struct round {
    uint64_t end_ns; /* end of the round, on the clock of the test, which stops between rounds */
    uint64_t elapsed_ns; /* duration of the round */
    uint64_t ops, bytes;
    uint64_t mean_ns; /* mean of the latencies */
    uint64_t p99_ns;
};

/* Which figure is judged. */
enum round_metric { ROUND_IOPS, ROUND_BANDWIDTH, ROUND_LATENCY, ROUND_P99, ROUND_METRICS };

/* The names "iops", "bandwidth", "latency" and "p99", with a NULL at the end. */
extern const char *const round_metric_names[ROUND_METRICS + 1];

/* The figure of a round, in "ops/s", "KiB/s" or "ns"; 0 if the round took no time. */
double round_figure(const struct round *r, enum round_metric metric);
extern const char *const round_units[ROUND_METRICS];

/* Decides whether the figure of a test that is repeated in rounds is steady, by the definition of
 * the steady state in SNIA's Solid State Storage Performance Test Specification 2.0.2. Two things
 * must hold for the figures of the last five rounds, the measurement window:
 *
 * - the largest and the smallest differ by at most 20 % of the mean;
 * - from the first to the last of these rounds, the least-squares line rises or falls by at most
 *   10 % of the mean.
 *
 * Only the order of the rounds matters, and not the time between them. */
#define STEADY_WINDOW        5
#define STEADY_RANGE_PERCENT 20
#define STEADY_SLOPE_PERCENT 10

struct steady_fit {
    double mean;
    double range_percent; /* largest minus smallest figure, in percent of the mean */
    double slope;         /* slope of the line per round, in the figure's unit */
    double slope_percent; /* rise over the window, in percent of the mean */
};

/* Judges the figures of a window, none of which may be negative, and sets *fit. A window of zeros
 * is not steady, because nothing was measured in it. */
bool steady_judge(struct steady_fit *fit, const double figures[static STEADY_WINDOW]);
