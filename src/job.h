#ifndef BONNIE_JOB_H
#define BONNIE_JOB_H

#include "util/err.h"

/*
 * One job. Its steps run in the worker's thread, are given the worker's own context and return 0 or
 * a negative errno with a line in e. All workers have finished a step before any begins the next.
 */
struct job {
    int (*prepare)(void *context, struct err *e);
    int (*connect)(void *context, struct err *e); /* to what others have prepared; may be NULL */
    int (*work)(void *context, struct err *e);
};

#endif
