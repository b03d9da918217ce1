#ifndef BONNIE_PLAN_STEADY_H
#define BONNIE_PLAN_STEADY_H

#include "bonnie/plan.h"

/*
 * Fills plan->steady. Returns 0, or -EINVAL and a line in e: options that belong to --steady-state
 * were given without it, it does not go together with others, or there is no test that can become
 * steady. The plan's tests must have been chosen.
 */
int plan_steady(struct plan *p, const struct settings *s, struct err *e);

#endif
