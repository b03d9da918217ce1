#ifndef BONNIE_PHASE_VERDICT_H
#define BONNIE_PHASE_VERDICT_H

#include "bonnie/gathering.h"
#include "bonnie/result.h"
#include "bonnie/run_context.h"

/*
 * Judges what limited a test's figure, by the figures and by what the devices did. Sets the
 * result's verdict and the time for which workers waited for a CPU. The rest of the result must be
 * complete.
 */
void phase_verdict(struct test_result *result, enum test_id test, const struct run_context *r,
                   const struct test_figures *f);

#endif
