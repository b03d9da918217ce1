#ifndef BONNIE_REPORTS_H
#define BONNIE_REPORTS_H

#include "bonnie/plan.h"
#include "bonnie/result.h"
#include "sys/output.h"
#include "util/err.h"

/*
 * The reports that a session prints, each to where the plan wants it: what one run gives at once,
 * what all runs give at the end. The results are kept only if one of the reports is of all runs, so
 * that a million runs need no memory for CSV.
 */
struct reports {
    const struct plan *plan;
    const struct output *output;
    struct result *runs; /* that are kept */
    size_t count;
    size_t room;
};

/*
 * All return 0, or a negative errno and a line in e. What goes to standard error, since -q moved
 * it out of the way, may be thrown away: that it cannot be written is no failure.
 */

/* Prints what stands above the runs. The plan and the output must outlive r. */
int reports_begin(struct reports *r, const struct plan *p, const struct output *o, struct err *e);

/* Prints one run, and takes over what the result owns, even when it fails. */
int reports_run(struct reports *r, struct result *result, struct err *e);

/* Prints what is of all runs. */
int reports_end(struct reports *r, struct err *e);

/* Frees the results. */
void reports_release(struct reports *r);

#endif
