#ifndef BONLOAD_REPORT_JSON_PARTS_H
#define BONLOAD_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "bonload/result/result.h"
#include "measure/latencies.h"

/* Parts of the JSON report. Each is a new value, or NULL when memory runs out. */

/* A time in ns, and a distribution of times, in the form of Go's JSON. */
json_t *json_of_buckets(const struct histogram *h);
json_t *json_of_histogram(const struct histogram *h);
json_t *json_of_latencies(const struct latencies *l, uint64_t count);

/* The settings of the run, and the host. */
json_t *json_of_settings(const struct plan *p);
json_t *json_of_host(void);

/* The activity of the devices below the files; null: none was watched. */
json_t *json_of_device(const struct backing_use *b);

/* Appends where the bytes of a kind came from or went to. */
void put_source(json_t **object, const struct backing_use *b, enum load_kind kind);

/* The steps of a search or a sweep, and the course of the run. */
json_t *json_of_steps(const struct result *result);
json_t *json_of_intervals(const struct series *s);
json_t *json_of_timeline(const struct series *s);

/* Appends what only a run of several ranks has. */
void put_together(json_t **object, const struct together *t);

#endif
