// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/options.h"
#include "util/err.h"

/*
 * The commands of boncut. Each returns 0, or a negative errno with a line in e; *status becomes the
 * exit status.
 */

/*
 * `boncut write`: makes promises and prints them on standard output, until the power goes, a signal
 * comes, or the time is over.
 */
int boncut_write(const struct settings *s, struct err *e);

/*
 * `boncut check`: reads the log from standard input, compares it with the directory, and reports.
 */
int boncut_check(const struct settings *s, int *status, struct err *e);

/*
 * `boncut audit`: reports what can be known about a directory before any power cut: how it is
 * mounted, what its drives say about their caches, and what reaches the drives when a file is
 * synced. *status becomes 2 if something is certain not to be durable.
 */
int boncut_audit(const struct settings *s, int *status, struct err *e);

/*
 * `boncut campaign`: makes many power cuts, from a machine that stays on, and reports what all of
 * them show together. The directory of logs keeps the cuts of an interrupted campaign, and these
 * are not made again.
 */
int boncut_campaign(const struct settings *s, int *status, struct err *e);

/*
 * `boncut fs-shutdown`: kills the runs that work there, and stops the filesystem at once without
 * writing out its journal, as a power failure would; the drive below keeps running.
 */
int boncut_fs_shutdown(const struct settings *s, struct err *e);
