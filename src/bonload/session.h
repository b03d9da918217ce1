#ifndef BONLOAD_SESSION_H
#define BONLOAD_SESSION_H

#include "bonload/settings.h"
#include "sync/coordinator.h"
#include "util/err.h"

/* The exit status of a run that could not keep its rate under -stop-on-bad-rate. */
#define STATUS_BAD_RATE 2

/*
 * Makes the plan, the run and the reports, with the other ranks, if there are any. Returns 0 or a
 * negative errno with a line in e, which is empty when it has been told already; *status becomes
 * STATUS_BAD_RATE where the run was ended for that.
 */
int session(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e);

#endif
