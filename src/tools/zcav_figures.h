// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/units.h"

/* Which parts of a device could not be read or written: the errno of each MiB, or 0. */
struct bad_map {
    unsigned char *codes; /* `count` of them, and a 0; the owner frees it */
    size_t count;
};

struct bad_range {
    uint64_t offset;
    uint64_t bytes;
    int code; /* errno of its first MiB */
};

/* Adds a range of whole MiB. Returns whether it touches none that is there. */
bool bad_map_add(struct bad_map *m, uint64_t offset, uint64_t bytes, int code);

/* Finds the next range after *r, which is all 0 at first. False: there is none. */
bool bad_map_next(const struct bad_map *m, struct bad_range *r);

/* Of a block, the bytes that were moved without a failure, and the time of all transfers. */
struct zcav_block {
    uint64_t bytes;
    uint64_t nanoseconds;
};

/* Combines all passes for one block: sorts them, and returns the mean of the middle third. */
struct zcav_block zcav_middle(struct zcav_block *passes, size_t count, uint64_t block_bytes);
