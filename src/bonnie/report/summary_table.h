#ifndef BONNIE_REPORT_SUMMARY_TABLE_H
#define BONNIE_REPORT_SUMMARY_TABLE_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * The `all` hook of the tables for people: for more than one run, prints a line for each test with
 * the number of runs, median, smallest and largest rate, half of the 95 % confidence interval in
 * percent of the mean, and a mark when the runs vary too much (summary.h). For one run it prints
 * nothing.
 */
int summary_table(FILE *out, const struct result runs[], size_t count);

#endif
