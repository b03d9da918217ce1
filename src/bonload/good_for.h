// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/plan.h"
#include "sync/coordinator.h"

/* -good-for: makes a run of the target `profile` for each load that is judged, and then searches
 * for the highest load. Prints their common verdict with the figures, and writes the page. *status
 * becomes the exit status of the verdict. */
int good_for(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e);
