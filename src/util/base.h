// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

/* Headers of the C library that most files use. Other files of src/ have them from here, directly
 * or through a header that they include. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h> /* MIN() and MAX() */
#include <unistd.h>

/* Number of elements of an array. */
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The product of two numbers of 64 bits. */
__extension__ typedef unsigned __int128 uint128;

/* What always holds, though compilers and analyzers cannot see it. */
#define ASSUME(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_unreachable();                                                               \
    } while (0)
