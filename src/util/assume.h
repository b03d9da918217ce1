// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* What always holds, though compilers and analyzers cannot see it. */
#define ASSUME(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_unreachable();                                                               \
    } while (0)
