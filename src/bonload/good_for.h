// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/plan.h"
#include "sync/coordinator.h"
#include "util/err.h"

/* -good-for: makes runs of the target `profile`, one after another, and gives their common verdict.
 * There is a run for each load that is judged, and then a search for the highest load.
 *
 * Prints the verdict and the figures, and writes the page. *status becomes the exit status of the
 * verdict. */
int good_for(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e);
