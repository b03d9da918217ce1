#ifndef BONNIE_PHASE_H
#define BONNIE_PHASE_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "bonnie/tests.h"

/*
 * Runs one test: the workers prepare, caches are emptied before tests that read, all workers start
 * together, and what they counted is recorded. A test that is over too soon is repeated in further
 * laps, if it can be. Returns 0, or a negative errno (-EINTR after a signal) without a figure.
 */
int phase_run(struct run_context *r, enum test_id test, struct test_result *result, struct err *e);

#endif
