#ifndef BONNIE_PHASE_H
#define BONNIE_PHASE_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "bonnie/tests.h"

/*
 * One test: the workers prepare, caches are emptied before tests that read, all start together, and
 * what they counted is recorded; in several rounds if it is over too soon and can be repeated.
 * Returns 0, or a negative errno (-EINTR after a signal), and then no figure.
 */
int phase_run(struct run_context *r, enum test_id test, struct test_result *result, struct err *e);

#endif
