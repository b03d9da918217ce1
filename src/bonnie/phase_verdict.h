#ifndef BONNIE_PHASE_VERDICT_H
#define BONNIE_PHASE_VERDICT_H

#include "bonnie/gathering.h"
#include "bonnie/result.h"
#include "bonnie/run_context.h"

/*
 * Judges what held the figure of a test down, once all else of its result is there, by what its
 * figures and the devices say. Fills the result's waiting for a CPU and its verdict.
 */
void phase_verdict(struct test_result *result, enum test_id test, const struct run_context *r,
                   const struct test_figures *f);

#endif
