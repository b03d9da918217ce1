// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/*
 * Makes the System V semaphores at which `processes` processes of this user meet, in place of
 * earlier ones. If another user has made a set under this user's key, fails, and leaves the set
 * alone; semaphores_remove() does the same.
 */
int semaphores_make(int processes, struct err *e);

/* Removes the semaphores of this user, if there are any. */
int semaphores_remove(struct err *e);

/*
 * --cleanup: removes the semaphores of this user if processes have met at them and all of these
 * have ended, and says so.
 */
void semaphores_clean_up(void);
