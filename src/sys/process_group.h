// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/thread_pool.h"
#include "util/err.h"

/* Forked processes that do a piece of work together. Each prepares, waits at a gate until the
 * parent opens it for all, and works. One that dies is a failure, and stops the others. */
struct process_group;

/* One process of the group, as that process knows itself. */
struct process_member;

struct process_group_setup {
    const char *name; /* what messages call a process: "seeker" */
    unsigned count;
    /* All that process `number`, counted from 0, does: prepares, calls process_member_ready(), and
     * works, without malloc and stdio, in which the parent may have been when it forked. Returns 0,
     * or a negative errno with a line in e, which the parent receives. */
    int (*body)(void *context, unsigned number, struct process_member *self, struct err *e);
    void *context;
    const struct poller *poller; /* what the parent looks for meanwhile; NULL: nothing */
};

/* Forks the processes, while no other thread runs, and returns when all of them are at the gate.
 * The caller then releases *out. */
int process_group_start(struct process_group **out, const struct process_group_setup *setup,
                        struct err *e);

/* Waits at the gate; CPU time counts from then on. A negative errno: it will not open. */
int process_member_ready(struct process_member *self);

/* Opens the gate, and waits for the end of the last process, to which the times run. Returns 0, or
 * the first failure with a line in e; -EINTR: the run must stop. */
int process_group_work(struct process_group *g, struct task_times *times, struct err *e);

/* Ends the processes that still run, and frees the group, which may be NULL. */
void process_group_release(struct process_group *g);
