// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "bonload/result/result.h"
#include "util/err.h"

/* goader prints its slowest successful requests, the slowest one last, and these percentiles. */
#define TOP_TEN            10
#define GOADER_PERCENTILES 9
extern const double goader_percentiles[GOADER_PERCENTILES];

/* Prints the report for people: the lines of goader, and then further ones. */
void report_human(const struct result *result, FILE *out);

/*
 * Makes the report for programs: goader's keys, and everything else in the key `bonload`, as
 * share/bonload.schema.json describes it. The caller owns the object. NULL: memory ran out.
 */
json_t *report_object(const struct result *result);

/* Formats such a report, or NULL, on one line. The caller frees *text. */
int report_json(const json_t *object, char **text, struct err *e);

/* Prints a distribution of latencies in ms, in the form of HdrHistogram's percentile files. */
void report_hgrm(const struct histogram *h, FILE *out);
