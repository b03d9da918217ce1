#ifndef BONLOAD_SESSION_H
#define BONLOAD_SESSION_H

#include "bonload/plan/settings.h"
#include "sync/coordinator.h"
#include "util/err.h"

/* The exit status of a run that broke the condition of -stop-on-bad-rate or -fail-above. */
#define STATUS_BROKEN 2

/*
 * Makes the plan, the run and the reports, together with the other ranks if there are any. Returns
 * 0 or a negative errno with a line in e, which is empty when the failure has been reported
 * already. *status becomes STATUS_BROKEN if such a condition was broken.
 */
int session(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e);

#endif
