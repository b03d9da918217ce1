// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boncut/options.h"
#include "measure/device.h"
#include "util/err.h"

/*
 * Whether this line of the trace reports a write with FUA to the device: "... block_rq_issue: 8,0
 * WFS ...", where the F after the W means FUA.
 */
bool fua_trace_line(const char *line, unsigned major, unsigned minor);

/*
 * `boncut audit`: reports what can be known about a directory before any power cut: how it is
 * mounted, what its drives say about their caches, and what reaches the drives when a file is
 * synced. *status becomes 2 if something is certain not to be durable. Returns 0 or a negative
 * errno with a line in e.
 */
int boncut_audit(const struct settings *s, int *status, struct err *e);
