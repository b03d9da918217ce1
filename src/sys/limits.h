// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* Limits of the process, of its user, its control groups and the machine. A program asks for what
 * its plan really needs before it writes anything. The functions return 0, or a negative errno with
 * a line in e that names the limit. What cannot be found out is no limit. */

/* Stack of this process and its threads, beside what arguments, environment and callers use. */
int limits_stack(unsigned kib, struct err *e);

/* Size of the largest file that is written. */
int limits_file(uint64_t bytes, struct err *e);

/* Processes and threads beside those that there are. Call this as the user who starts them. */
int limits_tasks(uint64_t count, struct err *e);

/* Open files at a time, for so many `what`, the value of `option`. Raises the soft limit. */
int limits_descriptors(uint64_t needed, const char *option, unsigned count, const char *what,
                       struct err *e);
