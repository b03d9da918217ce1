#ifndef BONNIE_REPORTS_H
#define BONNIE_REPORTS_H

#include "bonnie/plan.h"
#include "bonnie/result.h"
#include "sys/output.h"
#include "util/err.h"

/*
 * The reports that a session prints, each to the stream that the plan asks for: some after each
 * run, others once at the end. Results are kept only if a report covers all runs, so that a million
 * runs need no memory for CSV.
 */
struct reports {
    const struct plan *plan;
    const struct output *output;
    struct result *runs; /* results that are kept */
    size_t count;
    size_t room;
};

/*
 * All functions return 0, or a negative errno and a line in e. A report that -q has moved to
 * standard error is optional: failing to write it is no error.
 */

/* Prints the headings above the runs. The plan and the output must outlive r. */
int reports_begin(struct reports *r, const struct plan *p, const struct output *o, struct err *e);

/* Prints one run, and takes ownership of what the result owns, even on failure. */
int reports_run(struct reports *r, struct result *result, struct err *e);

/* Prints the reports that cover all runs. */
int reports_end(struct reports *r, struct err *e);

/* Frees the results. */
void reports_release(struct reports *r);

#endif
