// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"
#include "util/units.h"

enum { WAL, DB };

/*
 * etcd: a put of 1 KiB becomes a record in the write-ahead log. One thread writes the record
 * together with all others that have arrived by then, and syncs them. Ten times a second, the
 * database (bbolt) gets the changed pages and a sync, and then the page with the new root and a
 * sync.
 */
const struct profile profile_etcd = {
    .name = "etcd",
    .program = "etcd 3.4.23",
    .source = "etcd 3.4 documentation: FAQ (fdatasync p99 < 10 ms, backend commit p99 < 25 ms) and "
              "\"Hardware recommendations\" (50 and 500 sequential IOPS)",
    .request = "writes",
    .sync = "fdatasync",
    .files =
        {
            [WAL] = {.name = "wal",
                     .kind = PROFILE_LOG,
                     .bytes = 64 * MILLION, /* SegmentSizeBytes of etcd's wal.go */
                     .unit = 1,
                     .segment = SEGMENT_PREALLOCATED,
                     .count = 2},
            [DB] = {.name = "db", .kind = PROFILE_PAGES, .bytes = 32 * MIB, .unit = 4 * KIB},
        },
    .steps = {{ACT_COMMIT, WAL, .bytes = 1392}},
    .works =
        {
            {.name = "backend commit",
             .period_ns = BILLION / 10,
             .steps = {{ACT_WRITE, DB, .count = 13},
                       {.act = ACT_SYNC, .file = DB},
                       {ACT_WRITE, DB, .count = 1},
                       {.act = ACT_SYNC, .file = DB}}},
        },
    .loads = {50, 500},
    .limits = {{LIMIT_ON_SYNC, "fdatasync", 99, 10 * MILLION},
               {0, "backend commit", 99, 25 * MILLION}},
};
