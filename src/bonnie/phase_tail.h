#ifndef BONNIE_PHASE_TAIL_H
#define BONNIE_PHASE_TAIL_H

#include "bonnie/run_context.h"

/*
 * Finds what the slowest operations of a phase waited for. It does so if the plan wants it and the
 * workers have a queue of operations.
 */

/* The caller must call this before the workers prepare. Returns 0 or a negative errno. */
int phase_tail_begin(struct run_context *r, const struct workload *w, struct err *e);

/*
 * The caller must call this after the last lap, when r->total holds the latencies of the phase.
 * `rc` is the result of the phase so far; *tail is set if `rc` is 0 and there is something to say.
 * Returns the first failure.
 */
int phase_tail_end(struct run_context *r, struct tail_summary *tail, int rc, struct err *e);

#endif
