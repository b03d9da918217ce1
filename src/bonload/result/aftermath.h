// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/load/run.h"
#include "sys/output.h"
#include "util/err.h"

/*
 * Writes the names of everything that was written successfully or, if the run writes nothing, of
 * everything that was read: one per line, and each name once. Returns 0, or a negative errno with a
 * line in e.
 */
int aftermath_dump(const struct run *run, struct output *output, struct err *e);

/*
 * Removes what the run wrote. It is not a failure if something is gone already. When an object
 * cannot be removed, it goes on with the others, unless the target cannot be reached. Returns 0, or
 * a negative errno with a line in e about the first failure.
 */
int aftermath_remove(const struct run *run, struct err *e);
