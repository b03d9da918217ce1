// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/resource.h>

#include "util/base.h"

/* Raises the soft limit on open descriptors to the hard one. The soft limit protects programs that
 * use select(2), which this one does not. Returns the number of descriptors that the process may
 * have, at most INT_MAX; 0: unknown. */
static inline int descriptor_limit_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
        limit = raised;
    return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}

/* Closes *fd unless it is negative, and sets it to -1. Ignores errors of close(2). */
static inline void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
