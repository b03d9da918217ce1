#ifndef BONNIE_PHASE_ROUNDS_H
#define BONNIE_PHASE_ROUNDS_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "run/rounds.h"

/* The rounds of a phase that is to become steady (run/rounds.h), as the plan wants them. */

/*
 * Opens the rounds of that section, and preconditions the storage. Returns 0 or a negative errno;
 * in any case rounds_close() is to follow.
 */
int phase_rounds_begin(struct rounds *rounds, struct run_context *r, enum test_id test,
                       const struct section *section, struct err *e);

/* A round has ended: with -v, tells its figure. Returns true when there is to be another one. */
bool phase_rounds_next(struct rounds *rounds, struct run_context *r, enum test_id test);

/* What a report needs; it owns the rounds from then on. */
struct steady_result phase_rounds_take(struct rounds *rounds, const struct plan *p);

#endif
