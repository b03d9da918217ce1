#ifndef BONNIE_RUN_H
#define BONNIE_RUN_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"

/*
 * Runs all tests of the plan once, each as a phase (phase.h). `index` is the number of the run in
 * the session, counted from 0. Sets *result, which the caller must release. Corrupted data is not a
 * failure: it is reported on standard error and counted in the result. Returns 0, or a negative
 * errno (-EINTR after a signal) with a line in e.
 */
int run_once(struct run_context *r, uint64_t index, struct result *result, struct err *e);

#endif
