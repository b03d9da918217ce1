#ifndef SYS_TASK_H
#define SYS_TASK_H

#include "util/err.h"

/*
 * One task. Its steps run in the worker's thread, are given the worker's own context and return 0
 * or a negative errno with a line in e. All workers have finished a step before any begins the
 * next.
 */
struct task {
    int (*prepare)(void *context, struct err *e);
    int (*connect)(void *context, struct err *e); /* to what others have prepared; may be NULL */
    int (*work)(void *context, struct err *e);
    int (*finish)(void *context, struct err *e); /* part of the work; may be NULL */
};

/*
 * What the main thread does fifty times a second while others work: it looks out for a reason
 * to call stop_request().
 */
struct lookout {
    void (*look)(void *context);
    void *context;
};

#endif
