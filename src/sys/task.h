#ifndef SYS_TASK_H
#define SYS_TASK_H

#include "util/err.h"

/*
 * A task in several steps. Each step runs in a worker's thread with the worker's own context, and
 * returns 0, or a negative errno with a line in e. All workers have finished a step before any
 * worker begins the next one.
 */
struct task {
    int (*prepare)(void *context, struct err *e);
    int (*connect)(void *context,
                   struct err *e); /* connects to what other workers have prepared; may be NULL */
    int (*work)(void *context, struct err *e);
    int (*finish)(void *context, struct err *e); /* last part of the work; may be NULL */
};

/*
 * What the main thread does fifty times a second while others work: it looks for a reason to call
 * stop_request().
 */
struct lookout {
    void (*look)(void *context);
    void *context;
};

#endif
