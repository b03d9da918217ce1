// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"
#include "util/units.h"

enum { WAL, TABLE };

/*
 * PostgreSQL: a transaction of pgbench reads pages that are not in the shared buffers, and commits:
 * it writes the pages of the write-ahead log, from the one that was written last to the one in
 * which the commit ends, and syncs them. Backends that commit meanwhile share the next sync.
 * Segments are recycled. In the background the checkpointer writes pages, lets the kernel start
 * writeback of each, and syncs at the end. A real checkpoint takes minutes; this one is small
 * enough to be measured in half a minute.
 */
const struct profile profile_postgres = {
    .name = "postgres",
    .program = "PostgreSQL 15.18",
    .request = "commits",
    .sync = "fdatasync",
    .files =
        {
            [WAL] = {.name = "wal",
                     .kind = PROFILE_LOG,
                     .bytes = 16 * MIB,
                     .unit = 8 * KIB,
                     .segment = SEGMENT_RECYCLED,
                     .count = 5}, /* min_wal_size: 80 MiB */
            [TABLE] = {.name = "table", .kind = PROFILE_PAGES, .bytes = 64 * MIB, .unit = 8 * KIB},
        },
    .steps = {{ACT_READ, TABLE, .count = 2}, {ACT_COMMIT, WAL, .bytes = 600}},
    .works =
        {
            {.name = "checkpoint write",
             .period_ns = BILLION / 10,
             .steps = {{ACT_WRITE_OUT, TABLE, .count = 10}}},
            {.name = "checkpoint sync",
             .period_ns = 10 * BILLION,
             .steps = {{.act = ACT_SYNC_ALL, .file = TABLE}}},
        },
    .clients = 8,
};
