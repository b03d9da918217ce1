#ifndef BONNIE_PHASE_PROGRESS_H
#define BONNIE_PHASE_PROGRESS_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "live/monitor.h"

/* Messages on standard error about the current test. */

/* "12 of 12: Reading and writing at random places" */
#define PHASE_TITLE 64

/* The title of the test; on a terminal with its number among the tests of the run. */
void phase_title(char title[PHASE_TITLE], const struct run_context *r, enum test_id test);

/* How much the test has to do. */
struct monitor_goal phase_goal(const struct plan *p, enum test_id test);

/* Reports that the test is done, and keeps its figures for an inquiry later in the run. */
void phase_tell(const char *title, struct run_context *r, enum test_id test,
                const struct test_result *t);

#endif
