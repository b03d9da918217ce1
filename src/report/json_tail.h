#ifndef REPORT_JSON_TAIL_H
#define REPORT_JSON_TAIL_H

#include "report/json_object.h"
#include "tail/summary.h"

/* Appends "tail", what the slowest operations waited for; nothing if nobody wanted it. */
void put_tail(json_t **object, const struct tail_summary *s);

#endif
