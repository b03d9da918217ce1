// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"
#include "util/units.h"

enum { AOF };

/*
 * Redis with appendonly yes and appendfsync everysec: one thread writes to the append-only file
 * what all clients have sent by then. Another one syncs the file every second, while writes
 * continue. If the kernel holds a write back meanwhile, all clients stall.
 */
const struct profile profile_redis = {
    .name = "redis",
    .program = "Redis 7.0.15",
    .source = "Redis documentation, \"Redis persistence\", and aof.c, flushAppendOnlyFile(): while "
              "a sync takes longer than 2 s, writes are no longer postponed, and block",
    .request = "appends",
    .sync = "write",
    .files =
        {
            [AOF] = {.name = "aof",
                     .kind = PROFILE_LOG,
                     .bytes = 64 * MIB, /* auto-aof-rewrite-min-size */
                     .unit = 1,
                     .segment = SEGMENT_GROWS,
                     .count = 2},
        },
    .steps = {{ACT_APPEND, AOF, .bytes = 144}},
    .works = {{.name = "fdatasync",
               .period_ns = BILLION,
               .steps = {{.act = ACT_SYNC, .file = AOF}}}},
    .loads = {1000},
    .limits = {{0, "fdatasync", 100, 2 * BILLION}},
};
