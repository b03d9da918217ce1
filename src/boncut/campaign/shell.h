#ifndef BONCUT_CAMPAIGN_SHELL_H
#define BONCUT_CAMPAIGN_SHELL_H

#include <stdint.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * Commands run by `sh -c` in process groups of their own, so that everything that they start can be
 * ended with them.
 */

/*
 * Starts a command with these descriptors as standard input, output and error. Returns its process,
 * or a negative errno with a line in e.
 */
pid_t shell_start(const char *command, int in, int out, int error, struct err *e);

/*
 * Waits for the process to end, at most until that moment of clock_ns(). Returns its exit status
 * (128 and more: a signal). -ETIMEDOUT: it was ended because it took too long; -EINTR: it was ended
 * because a signal asks this program to stop.
 */
int shell_wait(pid_t process, uint64_t until_ns);

/* Whether the process has ended, without waiting; if so, *status is its exit status. */
int shell_has_ended(pid_t process, int *status);

/* Ends the process: with SIGTERM, and a second later with SIGKILL. */
void shell_end(pid_t process);

#endif
