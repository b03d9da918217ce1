#ifndef BONNIE_PHASE_ROUNDS_H
#define BONNIE_PHASE_ROUNDS_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "run/section.h"

/* The rounds of a phase that must become steady (run/rounds.h), as the plan wants them. */

/*
 * Opens the rounds of a section, and preconditions the storage. Returns 0, or a negative errno with
 * a line in e; the caller must call rounds_close() in either case.
 */
int phase_rounds_begin(struct rounds *rounds, struct run_context *r, enum test_id test,
                       const struct section *section, struct err *e);

/* Ends a round and, with -v, reports its figure. Returns whether another round follows. */
bool phase_rounds_next(struct rounds *rounds, struct run_context *r, enum test_id test);

/* Returns the rounds' result for the reports, which then own the list of rounds. */
struct steady_result phase_rounds_take(struct rounds *rounds, const struct plan *p);

#endif
