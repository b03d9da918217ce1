// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/result.h"
#include "report/page.h"

/* One format of the report. A hook that is NULL prints nothing; all others flush `out`, so that
 * they notice a full disk, and return 0, or a negative errno if not everything could be written. */
struct report_ops {
    const char *name;     /* name for --format */
    bool is_of_whole_run; /* has no form for a run that a signal ended, which it leaves out */
    int (*header)(FILE *out, const struct result *r); /* before the first run; r has no figures */
    int (*test)(FILE *out, const struct result *r, enum test_id test); /* that has just ended */
    int (*damage)(FILE *out, const struct result *r); /* above one run; goes where notes go */
    int (*run)(FILE *out, const struct result *r);    /* one run */
    /* Notes for people below one run: what limited the figures and, with `advice`, which options
     * may help. When scripts read the report, notes go to standard error. */
    int (*notes)(FILE *out, const struct result *r, bool advice);
    int (*all)(FILE *out, const struct result runs[], size_t count); /* all runs, at the end */
};

/* All formats, with a NULL at the end; and the one with that name, or NULL. */
extern const struct report_ops *const report_formats[];
const struct report_ops *report_by_name(const char *name);

/* Flushes what a hook has printed. Returns 0, or a negative errno if not all was written. */
int report_end(FILE *out);

/* One object for each file in this folder that prints a format. report_by_name() finds them. */
extern const struct report_ops report_text, report_csv, report_json, report_classic,
    report_html_row, report_gobonniego, report_gobonniego_json, report_diskmark, report_quick;

/* A report that is printed. */
struct report_stream {
    const struct report_ops *ops;
    FILE *stream; /* standard error, if -q leaves the output to the first of CSV, JSON and HTML */
};

/* The reports that a session prints, each to the stream that the plan wants: after each run, or at
 * the end. Results are kept only if one needs all: a million runs as CSV take no memory. */
struct reports {
    const struct plan *plan;
    struct report_stream formats[MAX_FORMATS]; /* as many as the plan has */
    const struct output *output;
    struct html_page *page; /* drawn at the end, if it is open */
    struct result *runs;    /* results that are kept, which belong to this struct */
    size_t count;
    bool is_read;             /* people read the report's stream, and not a script */
    struct result unfinished; /* the run that a signal ended, once there is one */
};

/* Prints the headings above the runs, of which `none` has the plan and the storage. These, the
 * output and the page must outlive r. This and the next three return 0, or a negative errno with a
 * line in e; reports that -q has moved to standard error may fail. */
int reports_begin(struct reports *r, const struct result *none, const struct output *o,
                  struct html_page *page, struct err *e);

/* Prints the test of a run that goes on. */
int reports_test(const struct reports *r, const struct result *result, enum test_id test,
                 struct err *e);

/* Prints one run. Owns the result's memory from now on, even after a failure. */
int reports_run(struct reports *r, struct result *result, struct err *e);

/* Prints the reports that cover all runs, and draws the page. */
int reports_end(struct reports *r, struct err *e);

/* After INT or TERM, prints to standard output what is known: of the run that was being done (its
 * result is r's from now on) the tests that are done, and the runs before it as far as they have
 * not been printed. Prints nothing if no test is done, if the output is a file, or if a format is
 * only of whole runs. Call this when everything that was made is removed. */
void reports_print_unfinished(struct reports *r);

/* Frees all results that were kept. */
void reports_release(struct reports *r);
