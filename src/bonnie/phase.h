// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "bonnie/tests.h"

/*
 * Runs one test: workers prepare, caches are emptied before tests that read, all workers start
 * together, and what they counted is recorded. If a test that can be repeated ends too soon, it
 * goes on with further laps. Returns 0 with *result set, or a negative errno (-EINTR after a
 * signal) with a line in e.
 */
int phase_run(struct run_context *r, enum test_id test, struct test_result *result, struct err *e);
