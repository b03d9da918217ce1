// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/virtual_clock.h"

#include <time.h>

#include "measure/clock.h"

struct virtual_clock virtual_clock = {.now_ns = 1000000000, .look_ns = 20};

int clock_gettime(clockid_t id, struct timespec *now)
{
    (void)id;
    virtual_clock.looks++;
    virtual_clock.now_ns += virtual_clock.look_ns;
    *now = clock_timespec(virtual_clock.now_ns);
    return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *until,
                    struct timespec *remaining)
{
    (void)id, (void)flags, (void)remaining;
    uint64_t until_ns = (uint64_t)until->tv_sec * 1000000000 + (uint64_t)until->tv_nsec;
    virtual_clock.sleeps++;
    if (until_ns > virtual_clock.now_ns)
        virtual_clock.now_ns = until_ns;
    return 0;
}
