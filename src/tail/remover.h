#ifndef TAIL_REMOVER_H
#define TAIL_REMOVER_H

#include "sys/confine.h"
#include "util/err.h"

/*
 * The remover is a confined process that keeps the right to remove the trace instance of this run.
 * It does so when the program ends, no matter how: it sees the end of the socket. Its filter allows
 * it to use the socket, remove this one directory, wait, and exit.
 */

/* Size of an instance's name, including its NUL. */
#define TAIL_INSTANCE_NAME 48

/*
 * Starts the remover of the instance `name` in the open directory `instances`. If the remover
 * cannot be confined, its pid is 0, which is not a failure. Returns 0 or a negative errno with a
 * line in e.
 */
int tail_remover_start(struct helper *remover, int instances, const char *name, struct err *e);

/*
 * Makes the remover remove the instance, whose files must be closed by then, and waits until it has
 * ended. If it does not, because somebody has stopped it, says so.
 */
void tail_remover_stop(struct helper *remover);

#endif
