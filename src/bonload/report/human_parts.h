#ifndef BONLOAD_REPORT_HUMAN_PARTS_H
#define BONLOAD_REPORT_HUMAN_PARTS_H

#include <stdio.h>

#include "bonload/result/result.h"

/* Parts of the report for people; each prints nothing when there is nothing to report. */
void print_failures(const struct result *result, enum load_kind kind, FILE *out);
/* Prints where data was read from or written to: a device, or memory. */
void print_source(const struct result *result, enum load_kind kind, FILE *out);
void print_ops(const struct result *result, FILE *out);
void print_steps(const struct result *result, FILE *out);
void print_rest(const struct result *result, FILE *out);

#endif
