// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/settings.h"
#include "sync/coordinator.h"
#include "util/err.h"

/*
 * Runs a whole session as the settings ask: makes the plans, gives up privileges, does the runs,
 * prints the reports, and leaves nothing behind. The dropper and the trace are opened before
 * privileges are given up, and the user's files afterwards. Each row of a preset is a plan with a
 * context of its own. `ranks` is the coordinator of the ranks of one run; the settings may choose
 * another way to begin together. Returns 0, or a negative errno with a line in e; after a signal
 * -EINTR, and stop_signal() returns the signal. Returns EXIT_NOT_STEADY, also with a line in e, if
 * all tests ran but a figure that had to be steady is not.
 */
#define EXIT_NOT_STEADY 3

int session(const struct settings *s, struct coordinator *ranks, struct err *e);
