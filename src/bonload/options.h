// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/plan/settings.h"
#include "cli/option.h"
#include "util/err.h"

/* The options of the program, in the order of --help. */
extern const struct option_table option_table;

/*
 * Reads the command line into settings, and initialises them. They point into argv, in which
 * secrets have been overwritten. Returns 0, or -EINVAL with a line in e.
 */
int options_parse(int argc, char *argv[], struct settings *settings, struct err *e);

/*
 * Decides about an option that was refused with rc and a line in e, and that only goader accepts.
 * If the program was called by that name, reports that the option has no effect, and returns 0.
 * Otherwise returns rc.
 */
int options_pass_goader(const struct settings *s, int rc, struct err *e);
