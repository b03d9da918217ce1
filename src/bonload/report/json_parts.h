#ifndef BONLOAD_REPORT_JSON_PARTS_H
#define BONLOAD_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "bonload/result/result.h"
#include "measure/latencies.h"

/*
 * Parts of the JSON report. Each function returns a new value that the caller owns, or NULL when
 * memory runs out.
 */

/* Times in ns, and distributions of times, in the form that Go's JSON has. */
json_t *json_of_buckets(const struct histogram *h);
json_t *json_of_histogram(const struct histogram *h);
json_t *json_of_latencies(const struct latencies *l, uint64_t count);

/* The settings of the run, and the host. */
json_t *json_of_settings(const struct plan *p);
json_t *json_of_host(void);

/* What the devices below the files did; null: they were not watched. */
json_t *json_of_device(const struct backing_use *b);

/* Appends where the bytes of a kind came from or went to. */
void put_source(json_t **object, const struct backing_use *b, enum load_kind kind);

/* The steps of a search or a sweep, and the course of the run over time. */
json_t *json_of_steps(const struct result *result);
json_t *json_of_intervals(const struct series *s);
json_t *json_of_timeline(const struct series *s);

/* Appends what only a run of several ranks has. */
void put_together(json_t **object, const struct together *t);

#endif
