// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

/*
 * Whether this line of the trace reports a write with FUA to the device: "... block_rq_issue: 8,0
 * WFS ...", where the F after the W means FUA.
 */
bool fua_trace_line(const char *line, unsigned major, unsigned minor);
