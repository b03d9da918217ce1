// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/options.h"
#include "util/err.h"

/*
 * The commands of boncut. Each returns 0, a negative errno with a line in e, or an exit status with
 * a line in e (program.h).
 */
typedef int boncut_command(const struct settings *s, struct err *e);

/* Makes promises and prints them, until the power goes, a signal comes, or the time is over. */
boncut_command boncut_write;

/* Compares the log from standard input with the directory, and reports. */
boncut_command boncut_check;

/* Reports what can be known about a directory before any power cut. */
boncut_command boncut_audit;

/* Makes many cuts, but none again that the directory of logs has already, and reports on all. */
boncut_command boncut_campaign;

/* Kills the runs that work there, and stops the filesystem as a power failure would. */
boncut_command boncut_fs_shutdown;
