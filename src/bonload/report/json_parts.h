#ifndef BONLOAD_REPORT_JSON_PARTS_H
#define BONLOAD_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "bonload/result.h"
#include "measure/latencies.h"

/* Parts of the JSON report. Each is a new value, or NULL when memory runs out. */

/* A time in ns as Go's JSON has it, and a distribution of them. */
json_t *json_of_histogram(const struct histogram *h);
json_t *json_of_latencies(const struct latencies *l, uint64_t count);

/* The settings of the run, and the host. */
json_t *json_of_settings(const struct plan *p);
json_t *json_of_host(void);

/* The steps of a search or a sweep, and the course of the run. */
json_t *json_of_steps(const struct result *result);
json_t *json_of_intervals(const struct series *s);
json_t *json_of_timeline(const struct series *s);

/* Adds what only a run of several ranks has. */
void put_together(json_t **object, const struct together *t);

#endif
