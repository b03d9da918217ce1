#ifndef SYNC_SEMAPHORES_H
#define SYNC_SEMAPHORES_H

#include "util/err.h"

/*
 * Makes the System V semaphores at which that many processes of this user meet, in place of the
 * previous ones. If another user made a set under this user's key, that is a failure, and the set
 * is left alone; the same holds below. Returns 0 or a negative errno.
 */
int semaphores_make(int processes, struct err *e);

/* Removes the semaphores of this user, if there are any. Returns 0 or a negative errno. */
int semaphores_remove(struct err *e);

#endif
