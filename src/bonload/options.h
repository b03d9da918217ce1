// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/plan.h"
#include "sync/coordinator.h"

/* Reads the command line into settings, and initialises them. They point into argv, in which
 * secrets have been overwritten. `out`, the result and e are as for cli_parse(). */
int options_parse(int argc, char *argv[], struct settings *settings, FILE *out, struct err *e);

/* Makes the plan, with all ranks of c, which get rank 0's seed. The settings must outlive it. */
int plan_make(struct plan *p, const struct settings *s, struct coordinator *c, struct err *e);
