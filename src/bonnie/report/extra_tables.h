#ifndef BONNIE_REPORT_EXTRA_TABLES_H
#define BONNIE_REPORT_EXTRA_TABLES_H

#include <stdio.h>

#include "bonnie/result.h"

/*
 * Prints, below the tables and only where the result asks for it, what they have no column for: the
 * throughput of the tests of data files in MiB/s (2^20 bytes) and MB/s (10^6), and the percentiles
 * of the latency of every test. No line has a comma.
 */
void extra_tables(FILE *out, const struct result *r);

#endif
