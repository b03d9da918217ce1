// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <time.h>

#include "util/base.h"

/* One of the clocks of clock_gettime(2), in nanoseconds. */
static inline uint64_t clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The monotonic clock in nanoseconds. Only differences have a meaning. */
static inline uint64_t clock_ns(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Nanoseconds since 1970, by the wall clock. */
static inline int64_t clock_wall_ns(void)
{
    return (int64_t)clock_read(CLOCK_REALTIME);
}

/* A number of nanoseconds, or a moment of the clock, in the form of system calls. */
static inline struct timespec clock_timespec(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000),
                             .tv_nsec = (long)(nanoseconds % 1000000000)};
}

/* Sleeps, unless a signal ends that. */
static inline void clock_sleep(uint64_t nanoseconds)
{
    const struct timespec pause = clock_timespec(nanoseconds);
    nanosleep(&pause, NULL);
}
