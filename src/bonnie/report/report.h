#ifndef BONNIE_REPORT_REPORT_H
#define BONNIE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bonnie/result.h"

/*
 * One format of the report. All hooks print to `out` and return 0, or a negative errno when not
 * everything could be written; they flush it, so that a full disk is known before they return.
 */
struct report_ops {
    const char *name; /* as --format takes it */
    const char *help; /* what it prints, in one line */

    /* What stands once above the lines of several runs. NULL: nothing. */
    int (*header)(FILE *out);

    /* One run. NULL: nothing. */
    int (*run)(FILE *out, const struct result *r);

    /*
     * What a person reads below one run: what limited the figures, and with `advice` which option
     * may help. NULL: nothing. Where scripts read the report it is printed elsewhere (reports.h).
     */
    int (*notes)(FILE *out, const struct result *r, bool advice);

    /* All runs, one at least, at the end. NULL: nothing. */
    int (*all)(FILE *out, const struct result runs[], size_t count);
};

/* The format of that name, or NULL when there is none. */
const struct report_ops *report_by_name(const char *name);

/* The formats in the order of their table, from 0; NULL behind the last. */
const struct report_ops *report_at(size_t index);

/* Ends what a hook printed: flushes out; 0, or a negative errno when anything was not written. */
int report_end(FILE *out);

/* One for each file of this directory that prints a format; report_by_name() finds them. */
extern const struct report_ops report_text;
extern const struct report_ops report_csv;
extern const struct report_ops report_json;
extern const struct report_ops report_classic;
extern const struct report_ops report_html_row;
extern const struct report_ops report_gobonniego;
extern const struct report_ops report_gobonniego_json;

#endif
