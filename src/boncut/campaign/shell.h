#ifndef BONCUT_CAMPAIGN_SHELL_H
#define BONCUT_CAMPAIGN_SHELL_H

#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Runs commands with `sh -c`, each in a process group of its own, so that shell_end() also ends
 * everything that the command has started.
 */

/*
 * Starts a command with these descriptors as its standard input, output and error. Returns the
 * process id, or a negative errno with a line in e.
 */
pid_t shell_start(const char *command, int in, int out, int error, struct err *e);

/*
 * Waits for the process to end, at the latest at until_ns (of clock_ns()). Returns the exit status
 * (128 + the number of the signal that ended it). Otherwise it ends the process, and returns
 * -ETIMEDOUT when the time is over, or -EINTR when a signal asks boncut to stop.
 */
int shell_wait(pid_t process, uint64_t until_ns);

/* Whether the process has ended; does not wait. If so, *status becomes the exit status. */
int shell_has_ended(pid_t process, int *status);

/*
 * Ends the process group: sends SIGTERM, and SIGKILL after at most a second, and waits for its end.
 */
void shell_end(pid_t process);

#endif
