// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/run_context.h"
#include "util/err.h"

/* While a test of several ranks reads, each rank works on the files of the rank with a number
 * higher by `shift`, so that the caches of its own host do not help. Each rank lends its files to
 * exactly one other rank. What it knows of their contents goes with them, and comes back changed.
 */

/* Whether the test works on what other ranks have written. */
bool lending_is_for(const struct run_context *r, const struct workload *w);

/* Lets the workers of this rank work on another rank's files, and another rank on this one's; or,
 * when the test has ended, gives the files back. Every rank must call it, with all files closed.
 * Returns 0, or a negative errno with a line in e. */
int lending_swap(struct run_context *r, const struct workload *w, bool gives_back, struct err *e);
