#ifndef BONLOAD_REPORT_HUMAN_PARTS_H
#define BONLOAD_REPORT_HUMAN_PARTS_H

#include <stdio.h>

#include "bonload/result/result.h"

/* Parts of the report for people. Each prints nothing if it has nothing to report. */
void print_failures(const struct result *result, enum load_kind kind, FILE *out);
/* Prints where data came from or went to: a device, or memory. */
void print_source(const struct result *result, enum load_kind kind, FILE *out);
/* Prints what the slowest requests waited for. */
void print_waits(const struct result *result, enum load_kind kind, FILE *out);
void print_ops(const struct result *result, FILE *out);
void print_steps(const struct result *result, FILE *out);
void print_rest(const struct result *result, FILE *out);

#endif
