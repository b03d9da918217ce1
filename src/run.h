#ifndef BONNIE_RUN_H
#define BONNIE_RUN_H

#include "result.h"
#include "rig.h"

/*
 * Walks the plan once: each test is one phase (phase.h). Fills result, which is to be released.
 * What was read and is damaged is told on standard error; it is counted in the result, and no
 * failure of the walk. Returns 0, or a negative errno (-EINTR after a signal).
 */
int run_once(struct rig *r, struct result *result, struct err *e);

#endif
