// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* Summary of one rate over several runs, in the rate's unit. */
struct summary {
    size_t runs; /* number of runs; 0: all other fields are 0 */
    double median, min, max, mean;
    double stddev;  /* standard deviation of the sample (divided by runs - 1); 0 for one run */
    double ci95[2]; /* 95 % confidence interval of the mean, by Student's t; for one run, the rate
                       twice. With two runs it is so wide that its lower end may be negative */
};

/* Summarises `count` rates, and sorts them. */
void summary_of_rates(struct summary *s, double rates[], size_t count);

/* Half the width of the confidence interval, in percent of the mean; 0 if the mean is 0. */
double summary_half_width_percent(const struct summary *s);

/* Whether the runs differ so much that their mean says little: half of the confidence interval is
 * wider than SUMMARY_WIDE_PERCENT of the mean or, with two runs, whose interval is always wide, the
 * larger rate is more than SUMMARY_WIDE_SPREAD times the smaller. */
#define SUMMARY_WIDE_PERCENT 10
#define SUMMARY_WIDE_SPREAD  1.5
bool summary_varies(const struct summary *s);
