// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/plan.h"
#include "sync/coordinator.h"

/* -good-for: makes a run of the target `profile` for each load to judge, and then searches for the
 * highest. Prints the verdict, whose exit status *status becomes, and writes the page. */
int good_for(const struct settings *s, struct coordinator *coordinator, int *status, struct err *e);
