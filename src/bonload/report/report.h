#ifndef BONLOAD_REPORT_REPORT_H
#define BONLOAD_REPORT_REPORT_H

#include <stdio.h>

#include "bonload/result.h"
#include "util/err.h"

/* The report that people read: goader's lines, then further ones. */
void report_human(const struct result *result, FILE *out);

/*
 * The report for programs, one JSON object on one line: goader's keys, and everything in the key
 * `bonload`, as share/bonload.schema.json describes it. *text is to be freed.
 */
int report_json(const struct result *result, char **text, struct err *e);

#endif
