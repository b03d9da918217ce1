#ifndef REPORT_JSON_LATENCIES_H
#define REPORT_JSON_LATENCIES_H

#include <jansson.h>

#include "measure/latencies.h"

/* Appends the latencies to the object. Each key is the name of the field in the struct. */
void put_latencies(json_t **object, const struct latencies *l);

#endif
