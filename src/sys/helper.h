// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include "util/err.h"

/* Single bytes over pipes and sockets, by which forked processes talk to their parent. */

/* A signal interrupts this only if the run must stop. Returns what read(2) returns. */
ssize_t byte_read(int fd, char *byte);

/* Writes in the same way. Returns 0 or a negative errno. */
int byte_write(int fd, char byte);

/* A forked process that does something beside the program, to which a socket connects it. Signals
 * that stop the program do not end it; it is killed when the program dies. */
struct helper {
    pid_t pid;  /* 0: there is none */
    int socket; /* the program's end */
};

/* Forks a helper, or none if it fails, which does work(context, socket) and ends; while other
 * threads run, without malloc and stdio. Lists of processes show `name` after the program's. */
int helper_start(struct helper *h, const char *name, void (*work)(void *context, int socket),
                 void *context, struct err *e);

/* How long most helpers may take to end, while caches are dropped or so; and after a signal. */
#define HELPER_END_MS     2000
#define HELPER_STOPPED_MS 100

/* Closes the socket, which is the helper's signal to end, and waits for that. Continues it if
 * somebody has stopped it, and kills it after `patience_ms`. Returns whether it has ended: one of
 * root's may be beyond the rights that this process has left. */
bool helper_end(struct helper *h, unsigned patience_ms);

/* What a confined helper does, which keeps a single right of root's after the rest of the program
 * has given up root: without capabilities, with its end of the socket and the descriptor that the
 * right is about, and under a filter of seccomp(2). */
struct confined_job {
    const char *name; /* as in helper_start() */
    int keep;         /* the descriptor that the process needs; the caller keeps its own copy */
    bool outlives;    /* the process does its work also if its parent is killed meanwhile */

    /* Installs the filter, which must allow the exit of a thread and the calls of `work`. */
    bool (*confine)(void *context, int socket);

    /* Works under the filter, until the other end of the socket is closed. */
    void (*work)(void *context, int socket);
    void *context;
};

/* Forks it. If it cannot be confined, it ends at once: h->pid becomes 0, which is no failure. */
int confined_start(struct helper *h, const struct confined_job *job, struct err *e);
