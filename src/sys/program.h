#ifndef SYS_PROGRAM_H
#define SYS_PROGRAM_H

#include "util/err.h"

/*
 * What main() of every program does around its work: it has descriptors 0 to 2 open, gives standard
 * output a large buffer and writes that out at the end, tells a failure in one line on standard
 * error after it, and ends the process by the signal that was caught (stop.h), if one was. What
 * comes of that signal is not told: interrupted calls, after SIGPIPE a reader that is gone, and
 * after SIGXFSZ a file that is too large.
 *
 * `work` returns 0, or a negative errno with a line in e, which is a failure; or, when it is done
 * and its outcome has an exit status of its own, that, with a line in e. The line is empty when
 * another process tells it. Returns the exit status.
 */
int program_run(int argc, char *argv[], int (*work)(int argc, char *argv[], struct err *e));

#endif
