// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bonwhy/watch.h"
#include "util/err.h"

/*
 * Prints the answer: why the slowest calls were slow and because of whom, then the calls, the files
 * if `by_file`, and the devices. What is told is taken from w. Returns 0 or a negative errno with a
 * line in e.
 */
int report_print(FILE *out, struct watch *w, const char *target, uint64_t elapsed_ns, bool by_file,
                 struct err *e);
