// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

#include "util/err.h"

/*
 * --cleanup: removes the private directories (scratch.h) that runs of this user have left in the
 * directory `path`, whichever program of the suite has made them: those of killed runs, and those
 * that `boncut write` has left for `boncut check`. A directory counts as private only if its name
 * has the right form, it belongs to this user and has mode 0700 (not asked with `trusts`, but of
 * root), and it has an owner file that names it and that no live run has locked. Only what runs
 * make (scratch.h) is removed from it. An empty directory whose name passes the check of its last
 * digits also counts: it is of a run that was killed at once.
 *
 * Prints on stdout what it has removed, and on stderr what it has left, and why. Returns 0 when
 * every such directory is gone or in use, and otherwise a negative errno with a line in e.
 */
int cleanup_directory(const char *path, bool trusts, struct err *e);

/*
 * Removes an entry from the private directory behind fd. Returns 0, -EEXIST when no run makes
 * entries of that name, or another negative errno.
 */
int cleanup_entry(int fd, const char *name);
