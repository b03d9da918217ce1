#ifndef BONNIE_REPORT_EXTRA_TABLES_H
#define BONNIE_REPORT_EXTRA_TABLES_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * Prints, below the tables, what these have no column for: the throughput of the tests of data
 * files in MiB/s (2^20 bytes) and MB/s (10^6 bytes), and the percentiles of every test's latency.
 * Prints only what the result asks for. No line has a comma.
 */
void extra_tables(FILE *out, const struct result *r);

#endif
