// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/options.h"
#include "util/err.h"

/*
 * `boncut write`: makes promises and prints them on standard output, until the power goes, a signal
 * comes, or the time is over. Returns 0, or a negative errno with a line in e.
 */
int boncut_write(const struct settings *s, struct err *e);
