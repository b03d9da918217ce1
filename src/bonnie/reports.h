#ifndef BONNIE_REPORTS_H
#define BONNIE_REPORTS_H

#include "bonnie/plan.h"
#include "bonnie/result.h"
#include "sys/output.h"
#include "util/err.h"

/*
 * The reports that a session prints, each to the stream that the plan wants: some after each run,
 * others once at the end. Results are kept only if a report needs all runs, so a million runs as
 * CSV need no more memory than one.
 */
struct reports {
    const struct plan *plan;
    const struct output *output;
    struct result *runs; /* results that are kept, which belong to this struct */
    size_t count;
    size_t room;
};

/*
 * All functions return 0, or a negative errno with a line in e. It is not a failure if a report
 * that -q has moved to standard error cannot be written.
 */

/* Prints the headings above the runs. The plan and the output must outlive r. */
int reports_begin(struct reports *r, const struct plan *p, const struct output *o, struct err *e);

/* Prints one run. Owns the result's memory from now on, even after a failure. */
int reports_run(struct reports *r, struct result *result, struct err *e);

/* Prints the reports that cover all runs. */
int reports_end(struct reports *r, struct err *e);

/* Frees all results that were kept. */
void reports_release(struct reports *r);

#endif
