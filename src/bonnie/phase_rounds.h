#ifndef BONNIE_PHASE_ROUNDS_H
#define BONNIE_PHASE_ROUNDS_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "run/rounds.h"

/* The rounds of a phase that has to become steady (run/rounds.h), as the plan asks. */

/*
 * Opens the rounds of that section, and preconditions the storage. Returns 0 or a negative errno;
 * rounds_close() is needed in either case.
 */
int phase_rounds_begin(struct rounds *rounds, struct run_context *r, enum test_id test,
                       const struct section *section, struct err *e);

/* Ends a round; with -v, reports its figure. Returns true when another round has to follow. */
bool phase_rounds_next(struct rounds *rounds, struct run_context *r, enum test_id test);

/* The result for the reports, which owns the list of rounds from then on. */
struct steady_result phase_rounds_take(struct rounds *rounds, const struct plan *p);

#endif
