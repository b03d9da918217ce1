// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

/* A clock that only the test moves. virtual_clock.c replaces clock_gettime and clock_nanosleep in a
 * program that is linked with it: sleeping takes no time, and each reading of the clock takes
 * `look_ns`, so nothing in such a test depends on the speed of the machine. */
struct virtual_clock {
    uint64_t now_ns;
    uint64_t look_ns;
    uint64_t looks;  /* number of calls of clock_gettime */
    uint64_t sleeps; /* number of calls of clock_nanosleep */
};

extern struct virtual_clock virtual_clock;
