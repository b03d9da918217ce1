// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/summary.h"

#include <math.h>

/* The 0.975 quantiles of Student's t for 1, 2, ... degrees of freedom: NIST/SEMATECH e-Handbook of
 * Statistical Methods, 1.3.6.7.2. */
static const double t_table[] = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
};
#define T_TABLE_ROWS COUNT_OF(t_table)

/* The same quantile of the normal distribution; beyond the table, with the first term of the series
 * for t (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5), right to 0.004. */
#define Z_975 1.959964

static int compare_rates(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void summary_of_rates(struct summary *s, double rates[], size_t count)
{
    double sum = 0, squares = 0;
    *s = (struct summary){.runs = count};
    if (count == 0)
        return;
    qsort(rates, count, sizeof *rates, compare_rates);
    s->min = rates[0];
    s->max = rates[count - 1];
    s->median = (rates[(count - 1) / 2] + rates[count / 2]) / 2;
    for (size_t i = 0; i < count; i++)
        sum += rates[i];
    s->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) /* large rates that differ little keep their precision so */
        squares += (rates[i] - s->mean) * (rates[i] - s->mean);
    s->stddev = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    size_t freedom = count - 1;
    double t = freedom == 0 ? 0
               : freedom <= T_TABLE_ROWS
                   ? t_table[freedom - 1]
                   : Z_975 + (Z_975 * Z_975 * Z_975 + Z_975) / (4 * (double)freedom);
    double half = t * s->stddev / sqrt((double)count);
    s->ci95[0] = s->mean - half;
    s->ci95[1] = s->mean + half;
}

double summary_half_width_percent(const struct summary *s)
{
    return s->mean > 0 ? (s->ci95[1] - s->mean) / s->mean * 100 : 0;
}

bool summary_varies(const struct summary *s)
{
    if (s->runs < 3)
        return s->max > s->min * SUMMARY_WIDE_SPREAD;
    return summary_half_width_percent(s) > SUMMARY_WIDE_PERCENT;
}
