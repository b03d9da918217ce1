#ifndef BONNIE_PHASE_VERDICT_H
#define BONNIE_PHASE_VERDICT_H

#include "bonnie/gathering.h"
#include "bonnie/result.h"
#include "bonnie/run_context.h"

/*
 * Judges what limited the figure of a test, from its figures and the activity of the devices. Fills
 * in the result's waiting for a CPU and its verdict; the rest of the result must be complete.
 */
void phase_verdict(struct test_result *result, enum test_id test, const struct run_context *r,
                   const struct test_figures *f);

#endif
