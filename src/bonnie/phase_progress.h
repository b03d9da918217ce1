#ifndef BONNIE_PHASE_PROGRESS_H
#define BONNIE_PHASE_PROGRESS_H

#include "bonnie/result.h"
#include "bonnie/run_context.h"
#include "live/monitor.h"

/* Messages on standard error about the current test. */

/* "12 of 12: Reading and writing at random places" */
#define PHASE_TITLE 64

/* Makes the title of a test; on a terminal, with the test's number among those of the run. */
void phase_title(char title[PHASE_TITLE], const struct run_context *r, enum test_id test);

/* The amount of work, or the time, after which a test is done. */
struct monitor_goal phase_goal(const struct plan *p, enum test_id test);

/*
 * Reports that a test is done, and keeps its figures in case SIGUSR1 asks for them later in the
 * run.
 */
void phase_tell(const char *title, struct run_context *r, enum test_id test,
                const struct test_result *t);

#endif
