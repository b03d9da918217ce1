// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/options.h"
#include "util/err.h"

/*
 * `boncut fs-shutdown`: kills the runs that work there, and stops the filesystem at once without
 * writing out its journal, as a power failure would; the drive below keeps running. Returns 0 or a
 * negative errno with a line in e.
 */
int boncut_fs_shutdown(const struct settings *s, struct err *e);
