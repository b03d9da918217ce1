#ifndef BONNIE_RUN_H
#define BONNIE_RUN_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"

/*
 * Walks the plan once, in run number `index` of the session, from 0 on: each test is one phase
 * (phase.h). Fills result, which is to be released.
 * Damage in what was read is reported on standard error and counted in the result; it is not a
 * failure of this function. Returns 0, or a negative errno (-EINTR after a signal).
 */
int run_once(struct run_context *r, uint64_t index, struct result *result, struct err *e);

#endif
