#ifndef MEASURE_SUMMARY_H
#define MEASURE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

/* What several runs say about one rate, in its unit. */
struct summary {
    size_t runs; /* number of runs; 0: all other fields are 0 */
    double median;
    double min;
    double max;
    double mean;
    double stddev;  /* sample standard deviation (divided by runs - 1); 0 for one run */
    double ci95[2]; /* 95 % confidence interval of the mean, by Student's t; for one run, its rate
                       twice. The lower end may be negative: two runs say little */
};

/* Fills s from `count` rates, and sorts them. */
void summary_of_rates(struct summary *s, double rates[], size_t count);

/* Half of the width of the confidence interval, in percent of the mean; 0 when the mean is 0. */
double summary_half_width_percent(const struct summary *s);

/*
 * True when the runs differ so much that their mean says little. With three runs or more: half of
 * the confidence interval is wider than SUMMARY_WIDE_PERCENT of the mean. With two, whose interval
 * is wide in any case: the larger rate is more than SUMMARY_WIDE_SPREAD times the smaller. With
 * one: never.
 */
#define SUMMARY_WIDE_PERCENT 10
#define SUMMARY_WIDE_SPREAD  1.5
bool summary_varies(const struct summary *s);

#endif
