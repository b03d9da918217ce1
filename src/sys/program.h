// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

#define PROGRAM_STACK_KIB 160

/* The frame of main() in every program. It makes sure that descriptors 0 to 2 are open, gives
 * standard output a large buffer, and writes that out at the end. Then it reports a failure in one
 * line on standard error, unless the signal that was caught (stop.h) has caused it, and ends the
 * process by that signal.
 *
 * It refuses to run where the stack is limited to less than `stack_kib` beside arguments and
 * environment: PROGRAM_STACK_KIB is about one and a half times the 105 KiB that were measured.
 *
 * `work` returns 0, or a negative errno with a line in e, or a status for its answer, with a line
 * in e that says what and by how much, unless that was said. Returns the exit status. */
enum {
    STATUS_NO = 2,        /* no, worse, lost, above the limit */
    STATUS_NOT_KNOWN = 3, /* what was asked is not known */
};

int program_run(int argc, char *argv[], unsigned stack_kib,
                int (*work)(int argc, char *argv[], struct err *e));
