#ifndef BONLOAD_REPORT_HUMAN_PARTS_H
#define BONLOAD_REPORT_HUMAN_PARTS_H

#include <stdio.h>

#include "bonload/result.h"

/* Parts of the report that people read; each prints nothing when there is nothing to say. */
void print_failures(const struct result *result, enum load_kind kind, FILE *out);
void print_ops(const struct result *result, FILE *out);
void print_steps(const struct result *result, FILE *out);
void print_rest(const struct result *result, FILE *out);

#endif
