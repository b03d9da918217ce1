// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/* Single bytes over pipes and sockets, by which forked processes talk to their parent. */

/*
 * Reads one byte from a pipe or a socket. A signal interrupts this only if the run must stop.
 * Returns what read(2) returns: 1, 0 at the end, or -1 with errno.
 */
ssize_t byte_read(int fd, char *byte);

/*
 * Writes one byte to a pipe. A signal interrupts this only if the run must stop. Returns 0 or a
 * negative errno.
 */
int byte_write(int fd, char byte);

/*
 * A helper is a forked process that does something beside the program, to which it is connected by
 * a socket. Signals that stop the program do not end it; it is killed when the program dies.
 */
struct helper {
    pid_t pid;  /* 0: there is none */
    int socket; /* the program's end */
};

/*
 * Forks a helper, which does work(context, socket) and ends. It may use neither malloc nor stdio if
 * other threads run. `name` is what processes are listed by, behind the program's name; it also
 * says in messages what could not be started. Returns 0, or a negative errno with a line in e; then
 * there is no helper.
 */
int helper_start(struct helper *h, const char *name, void (*work)(void *context, int socket),
                 void *context, struct err *e);

/*
 * Closes the socket, which is the helper's signal to end, and waits until it has ended. Continues
 * it if somebody has stopped it, and kills it after `patience_ms`. Returns whether it has ended:
 * one of root's may be beyond the rights that this process has left.
 */
bool helper_end(struct helper *h, unsigned patience_ms);
