#ifndef BONNIE_RUN_H
#define BONNIE_RUN_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"

/*
 * Runs all tests of the plan once, each as one phase (phase.h). `index` is the number of the run in
 * the session, from 0. Fills result, which has to be released. Corrupted data is reported on
 * standard error and counted in the result; it is not a failure of this function. Returns 0, or a
 * negative errno (-EINTR after a signal).
 */
int run_once(struct run_context *r, uint64_t index, struct result *result, struct err *e);

#endif
