#ifndef BONLOAD_REPORT_REPORT_H
#define BONLOAD_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "bonload/result/result.h"
#include "util/err.h"

/* goader prints its longest requests that did not fail, the longest last. */
#define TOP_TEN 10

/* Prints the report for people: goader's lines, then additional ones. */
void report_human(const struct result *result, FILE *out);

/*
 * The report for programs: goader's keys, and everything in the key `bonload`, as
 * share/bonload.schema.json describes it. The caller has the reference; NULL: memory ran out.
 */
json_t *report_object(const struct result *result);

/* Such a report, or NULL, on one line. The caller frees *text. */
int report_json(const json_t *object, char **text, struct err *e);

/* A distribution of latencies as HdrHistogram's percentile files have it, in ms. */
void report_hgrm(const struct histogram *h, FILE *out);

#endif
