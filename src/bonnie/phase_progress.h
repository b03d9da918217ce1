#ifndef BONNIE_PHASE_PROGRESS_H
#define BONNIE_PHASE_PROGRESS_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "live/monitor.h"

/* What is told on standard error of the test that is under way. */

/* "12 of 12: Reading and writing at random places" */
#define PHASE_TITLE 64

/* How the test is called: on a terminal with its number among the tests of the run. */
void phase_title(char title[PHASE_TITLE], const struct run_context *r, enum test_id test);

/* How much there is to do. */
struct monitor_goal phase_goal(const struct plan *p, enum test_id test);

/* Tells that the test is done, and keeps its figures for who asks for them later in the run. */
void phase_tell(const char *title, struct run_context *r, enum test_id test,
                const struct test_result *t);

#endif
