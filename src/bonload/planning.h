#ifndef BONLOAD_PLANNING_H
#define BONLOAD_PLANNING_H

#include "bonload/plan/plan.h"
#include "sync/ranks.h"
#include "util/err.h"

/* Makes the plan. The settings must outlive it. Returns 0, or a negative errno with a line in e. */
int plan_make(struct plan *p, const struct settings *s, struct err *e);

/*
 * Turns the plan into that of one of several ranks, which must have agreed on its seed. Refuses
 * less than one thread or channel per rank. Returns 0, or a negative errno with a line in e.
 */
int plan_join(struct plan *p, const struct ranks *r, struct err *e);

#endif
