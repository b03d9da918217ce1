// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

#include "sys/helper.h"
#include "util/err.h"

/*
 * A confined process: a helper that keeps a single right of root's after the rest of the program
 * has given up root. It gives up all capabilities and all descriptors except its end of a socket
 * and the one that the right is about, and then runs under a filter of seccomp(2).
 */

/* What the process does. Must stay valid until confined_start() has returned. */
struct confined_job {
    const char *name; /* as in helper_start() */
    int keep;         /* the descriptor that the process needs; the caller keeps its own copy */
    bool outlives;    /* the process must go on when its parent is killed */

    /* Installs the filter, which must allow the exit of a thread and the calls of `work`. */
    bool (*confine)(void *context, int socket);

    /* Works under the filter, until the other end of the socket is closed. */
    void (*work)(void *context, int socket);
    void *context;
};

/*
 * Forks the process. If it cannot be confined, it ends at once and h->pid becomes 0, which is not a
 * failure. Returns 0, or a negative errno with a line in e. To be ended with helper_end().
 */
int confined_start(struct helper *h, const struct confined_job *job, struct err *e);
