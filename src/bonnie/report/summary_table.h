#ifndef BONNIE_REPORT_SUMMARY_TABLE_H
#define BONNIE_REPORT_SUMMARY_TABLE_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * The `all` hook of tables for people. For several runs, prints a line for each test: the number of
 * runs, the median, smallest and largest rate, half of the 95 % confidence interval in percent of
 * the mean, and a mark if the runs vary too much (summary.h). Prints nothing for one run.
 */
int summary_table(FILE *out, const struct result runs[], size_t count);

#endif
