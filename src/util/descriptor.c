// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/descriptor.h"

#include <limits.h>
#include <sys/resource.h>

int descriptor_limit_raise(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
        limit = raised;
    return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}
