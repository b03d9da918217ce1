// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonnie/run_context.h"

/*
 * While a test of several ranks reads, each rank works on the files of the rank with a number
 * higher by `shift`, so that the caches of its own host do not help. Each rank lends its files to
 * exactly one other rank. What it knows about their contents goes with the files, and comes back
 * with the changes.
 */

/* Whether the test works on what other ranks have written. */
bool shifting_is_for(const struct run_context *r, const struct workload *w);

/*
 * Lends and borrows files. All workers must have prepared and closed theirs. Afterwards they have
 * another rank's files, and must prepare for those. Returns 0, or a negative errno with a line in
 * e.
 */
int shifting_begin(struct run_context *r, const struct workload *w, struct err *e);

/*
 * Gives the files back. The test must have ended, and all files must be closed. Returns 0, or a
 * negative errno with a line in e.
 */
int shifting_end(struct run_context *r, const struct workload *w, struct err *e);
