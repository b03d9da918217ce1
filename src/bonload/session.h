// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/settings.h"
#include "sync/coordinator.h"
#include "util/err.h"

/* Exit status of a run that broke the condition of -stop-on-bad-rate or -fail-above. */
#define STATUS_BROKEN 2

/*
 * Makes the plan, the run and the reports, together with other ranks if there are any. *status
 * becomes STATUS_BROKEN if the run broke a condition. The line is empty when the failure has
 * already been reported.
 */
int session(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e);
