#ifndef BONNIE_JOB_H
#define BONNIE_JOB_H

#include "util/err.h"

/* One job. Both steps run in the worker's thread, are given the worker's own context and return 0
 * or a negative errno with a line in e. */
struct job {
    int (*prepare)(void *context, struct err *e);
    int (*work)(void *context, struct err *e);
};

#endif
