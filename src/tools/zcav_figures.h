// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/units.h"

/* Ranges of a device that could not be read or written, sorted, and neither adjacent nor
 * overlapping. All zeros: there are none. */
struct bad_range {
    uint64_t offset;
    uint64_t bytes;
    int code; /* errno of the first failure in the range */
};

struct bad_ranges {
    struct bad_range *ranges; /* the owner frees it */
    size_t count;
};

/* Adds a range of at least one byte, and merges it with those that it touches. *is_new becomes
 * whether it touched none. */
int bad_ranges_add(struct bad_ranges *b, const struct bad_range *range, bool *is_new,
                   struct err *e);

/* Of a block, the bytes that were moved without a failure, and the time of all transfers. */
struct zcav_block {
    uint64_t bytes;
    uint64_t nanoseconds;
};

static inline double zcav_seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / BILLION;
}

/* The median time for the blocks that could be moved, in any order; 0: there are none. */
uint64_t zcav_median(const struct zcav_block *blocks, size_t count);

/* Combines all passes for one block: sorts them, and returns the mean of the middle third. */
struct zcav_block zcav_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes);
