// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/plan.h"
#include "cli/option.h"
#include "sync/coordinator.h"
#include "util/err.h"

/* The options of the program, in the order of --help. */
extern const struct option_table option_table;

/*
 * Reads the command line into settings, and initialises them. They point into argv, in which
 * secrets have been overwritten. Returns 0, or -EINVAL with a line in e.
 */
int options_parse(int argc, char *argv[], struct settings *settings, struct err *e);

/*
 * Makes the plan, together with all ranks of c, which get rank 0's seed. Refuses less than one
 * thread or channel per rank. The settings must outlive the plan.
 */
int plan_make(struct plan *p, const struct settings *s, struct coordinator *c, struct err *e);
