// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <unistd.h>

/*
 * Raises the soft limit on open descriptors to the hard one. The soft limit protects programs that
 * use select(2), which this one does not. Returns the number of descriptors that the process may
 * have, at most INT_MAX; 0: unknown.
 */
int descriptor_limit_raise(void);

/* Closes *fd unless it is negative, and sets it to -1. Ignores errors of close(2). */
static inline void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
