// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/options.h"
#include "util/err.h"

/*
 * The commands of boncut. Each returns 0, a negative errno with a line in e, or an exit status with
 * a line in e (program.h).
 */
typedef int boncut_command(const struct settings *s, struct err *e);

/*
 * `boncut write`: makes promises and prints them on standard output, until the power goes, a signal
 * comes, or the time is over.
 */
boncut_command boncut_write;

/* `boncut check`: compares the log from standard input with the directory, and reports. */
boncut_command boncut_check;

/*
 * `boncut audit`: reports what can be known about a directory before any power cut: how it is
 * mounted, what its drives say about their caches, and what reaches the drives when a file is
 * synced.
 */
boncut_command boncut_audit;

/*
 * `boncut campaign`: makes many power cuts, from a machine that stays on, and reports what all of
 * them show together. The directory of logs keeps the cuts of an interrupted campaign, and these
 * are not made again.
 */
boncut_command boncut_campaign;

/*
 * `boncut fs-shutdown`: kills the runs that work there, and stops the filesystem at once without
 * writing out its journal, as a power failure would; the drive below keeps running.
 */
boncut_command boncut_fs_shutdown;
