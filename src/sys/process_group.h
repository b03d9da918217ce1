#ifndef SYS_PROCESS_GROUP_H
#define SYS_PROCESS_GROUP_H

#include "sys/thread_pool.h"
#include "util/err.h"

/*
 * A group of forked processes that do a piece of work together: each prepares, waits at a gate
 * until the parent opens it for all, and works. A process that dies is a failure, and stops the
 * others.
 */
struct process_group;

/* One process of the group, as it sees itself. */
struct process_member;

struct process_group_setup {
    const char *name; /* name of a process, for messages: "seeker" */
    unsigned count;
    /*
     * Runs in process `number` (from 0). It prepares, calls process_member_ready(), and works; when
     * it returns the process ends. It may use neither malloc nor stdio, since the fork may have
     * come while the parent was in one of them. Returns 0, or a negative errno with a line in e,
     * which the parent receives.
     */
    int (*body)(void *context, unsigned number, struct process_member *self, struct err *e);
    void *context;
    const struct lookout *lookout; /* what the parent does meanwhile, or NULL */
};

/*
 * Forks the processes, and returns when all are at the gate. The main thread must call it while no
 * other thread runs. Returns 0 or a negative errno; on success *out is to be released.
 */
int process_group_start(struct process_group **out, const struct process_group_setup *setup,
                        struct err *e);

/*
 * Called by a process that has prepared: waits at the gate, from where on its CPU time counts.
 * Returns 0, or a negative errno when the gate will not be opened.
 */
int process_member_ready(struct process_member *self);

/*
 * Opens the gate and waits for all processes. The times run from then to the end of the last
 * process. Returns the first failure; -EINTR when the run is to stop.
 */
int process_group_work(struct process_group *g, struct task_times *times, struct err *e);

/* Ends the processes that still run, and frees the group; NULL is accepted. */
void process_group_release(struct process_group *g);

#endif
