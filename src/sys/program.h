// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

#define PROGRAM_STACK_KIB 160

/*
 * The frame of main() in every program. It makes sure that descriptors 0 to 2 are open, gives
 * standard output a large buffer, and writes that out at the end. Then it reports a failure in one
 * line on standard error, and ends the process by the signal that was caught (stop.h), if any. It
 * does not report what that signal has caused: interrupted calls; after SIGPIPE, a closed pipe; and
 * after SIGXFSZ, a file that is too large.
 *
 * It refuses to run where the stack is limited to less than `stack_kib`, besides what arguments and
 * environment take: PROGRAM_STACK_KIB is about one and a half times the 105 KiB that were measured
 * for plans, tests, reports and the C library.
 *
 * `work` returns 0; or a negative errno with a line in e, which is a failure; or, if it is done and
 * its answer has an exit status of its own, that status with a line in e that says what and by how
 * much. The line is empty if that has been said already. Returns the exit status.
 */
enum {
    STATUS_NO = 2,        /* no, worse, lost, above the limit */
    STATUS_NOT_KNOWN = 3, /* what was asked is not known */
};

int program_run(int argc, char *argv[], unsigned stack_kib,
                int (*work)(int argc, char *argv[], struct err *e));
