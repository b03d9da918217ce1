#ifndef BONNIE_PHASE_TAIL_H
#define BONNIE_PHASE_TAIL_H

#include "bonnie/run_context.h"

/*
 * In a phase: finds what its slowest operations waited for, if the plan wants it and the workers do
 * them through a queue.
 */

/* Call it before the workers prepare. Returns 0 or a negative errno. */
int phase_tail_begin(struct run_context *r, const struct workload *w, struct err *e);

/*
 * Call it after the last lap, when r->total has the phase's latencies. rc is the result of the
 * phase so far; *tail is set if that is 0 and there is anything to say. Returns the first failure.
 */
int phase_tail_end(struct run_context *r, struct tail_summary *tail, int rc, struct err *e);

#endif
