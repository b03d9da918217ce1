#ifndef TAIL_REMOVER_H
#define TAIL_REMOVER_H

#include <sys/types.h>

#include "util/err.h"

/*
 * The remover: a small process that keeps the right to remove the trace instance of this run after
 * the rest of the program has given up root, and does so when the program ends, however it ends.
 *
 * It is forked before the privileges are dropped, gives up all capabilities and every descriptor
 * except its end of a socket and the directory `instances` of tracefs, and from then on runs under
 * a filter of seccomp(2): it can read from the socket, remove the one directory, wait, and exit.
 * The end of the socket is the request.
 */
struct tail_remover {
    pid_t pid; /* 0: there is none */
    int socket;
};

/* A name of an instance is at most this long, with its NUL. */
#define TAIL_INSTANCE_NAME 48

/*
 * Starts the remover of the instance `name` in the open directory. Where it cannot be confined, pid
 * is 0, which is not a failure. Returns 0 or a negative errno.
 */
int tail_remover_start(struct tail_remover *r, int instances, const char *name, struct err *e);

/* Has the instance removed, of which nothing may be open any more, and waits for it. */
void tail_remover_stop(struct tail_remover *r);

#endif
