// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/steady.h"

#include <math.h>

/* in the order of enum round_metric */
const char *const round_metric_names[ROUND_METRICS + 1] = {"iops", "bandwidth", "latency", "p99"};
const char *const round_units[ROUND_METRICS] = {"ops/s", "KiB/s", "ns", "ns"};

double round_figure(const struct round *r, enum round_metric metric)
{
    if (metric == ROUND_LATENCY || metric == ROUND_P99)
        return (double)(metric == ROUND_P99 ? r->p99_ns : r->mean_ns);
    uint64_t amount = metric == ROUND_IOPS ? r->ops : r->bytes;
    double rate = r->elapsed_ns > 0 ? (double)amount * 1e9 / (double)r->elapsed_ns : 0;
    return metric == ROUND_IOPS ? rate : rate / 1024;
}

bool steady_judge(struct steady_fit *fit, const double figures[static STEADY_WINDOW])
{
    double least = figures[0];
    double most = figures[0];
    double sum = 0;
    /* the slope of the least-squares line: sum(x y) / sum(x x), where x is the place of a round */
    double products = 0, squares = 0;
    for (unsigned i = 0; i < STEADY_WINDOW; i++) {
        double place = i - (STEADY_WINDOW - 1) / 2.0; /* relative to the middle of the window */
        products += place * figures[i];
        squares += place * place;
        least = fmin(least, figures[i]);
        most = fmax(most, figures[i]);
        sum += figures[i];
    }
    *fit = (struct steady_fit){.mean = sum / STEADY_WINDOW, .slope = products / squares};
    if (fit->mean <= 0)
        return false;
    fit->range_percent = 100 * (most - least) / fit->mean;
    fit->slope_percent = 100 * (STEADY_WINDOW - 1) * fit->slope / fit->mean;
    return fit->range_percent <= STEADY_RANGE_PERCENT &&
           fabs(fit->slope_percent) <= STEADY_SLOPE_PERCENT;
}
