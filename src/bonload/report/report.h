// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "bonload/report/result.h"
#include "report/document.h"

/* goader prints its slowest successful requests, the slowest one last, and these percentiles. */
#define TOP_TEN            10
#define GOADER_PERCENTILES 9
extern const double goader_percentiles[GOADER_PERCENTILES];

/* Prints the report for people: the answer, the figures that decide it, and what explains them. */
void report_text(const struct result *result, FILE *out);

/* Prints goader's report, to the letter, and below each kind at most five lines of ours. */
void report_human(const struct result *result, FILE *out);

/*
 * Make the document that share/bonload.schema.json describes, and goader's object. The caller ends
 * them with document_end(). NULL: memory ran out.
 */
json_t *report_object(const struct result *result);
json_t *goader_object(const struct result *result);

/* Prints a distribution of latencies in ms, in the form of HdrHistogram's percentile files. */
void report_hgrm(const struct histogram *h, FILE *out);
