#ifndef SYNC_SEMAPHORES_H
#define SYNC_SEMAPHORES_H

#include "util/err.h"

/*
 * Makes the System V semaphores at which that number of processes of this user meet, replacing
 * those of before. A set that another user made under this user's key is left alone, here and
 * below, and is a failure. Returns 0 or a negative errno, as the other does.
 */
int semaphores_make(int processes, struct err *e);

/* Removes the semaphores of this user; there may be none. */
int semaphores_remove(struct err *e);

#endif
