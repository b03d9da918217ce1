// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/options.h"
#include "util/err.h"

/*
 * `boncut check`: reads the log from standard input, compares it with the directory, and reports.
 * *status is the exit status. Returns 0, or a negative errno with a line in e.
 */
int boncut_check(const struct settings *s, int *status, struct err *e);
