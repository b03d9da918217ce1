#ifndef BONNIE_REPORT_REPORT_H
#define BONNIE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bonnie/result.h"

/*
 * One format of the report. All hooks print to `out` and return 0, or a negative errno when not
 * everything could be written. They flush it, so that a full disk is noticed before they return.
 */
struct report_ops {
    const char *name; /* as given to --format */
    const char *help; /* description in one line */

    /* Prints the heading above the lines of several runs. NULL: there is none. */
    int (*header)(FILE *out);

    /* Prints one run. NULL: nothing. */
    int (*run)(FILE *out, const struct result *r);

    /*
     * Prints notes for people below one run: what limited the figures and, with `advice`, which
     * option may help. NULL: nothing. Where scripts read the report, the notes are printed
     * elsewhere (reports.h).
     */
    int (*notes)(FILE *out, const struct result *r, bool advice);

    /* Prints all runs, at least one, at the end. NULL: nothing. */
    int (*all)(FILE *out, const struct result runs[], size_t count);
};

/* The format of that name, or NULL when there is none. */
const struct report_ops *report_by_name(const char *name);

/* The formats in the order of their table, from index 0; NULL after the last. */
const struct report_ops *report_at(size_t index);

/*
 * Ends a hook's output: flushes out. Returns 0, or a negative errno when anything was not written.
 */
int report_end(FILE *out);

/* One object for each file in this directory that prints a format; report_by_name() finds them. */
extern const struct report_ops report_text;
extern const struct report_ops report_csv;
extern const struct report_ops report_json;
extern const struct report_ops report_classic;
extern const struct report_ops report_html_row;
extern const struct report_ops report_gobonniego;
extern const struct report_ops report_gobonniego_json;
extern const struct report_ops report_diskmark;

#endif
