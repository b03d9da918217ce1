// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"
#include "util/units.h"

enum { REDO, DOUBLE_WRITE, TABLE };

/*
 * MariaDB (InnoDB) with its defaults: a commit writes the blocks of the redo log with O_DIRECT,
 * from the last written one on, and syncs them. Commits that arrive meanwhile are written with the
 * next one. The log is one file that is written round and round. Once a second, the page cleaner
 * writes all its pages in a row to the double-write buffer and syncs, and then writes each page to
 * its place and syncs.
 */
const struct profile profile_mariadb = {
    .name = "mariadb",
    .program = "MariaDB 10.11.19",
    .request = "commits",
    .sync = "fdatasync",
    .files =
        {
            [REDO] = {.name = "ib_logfile0",
                      .kind = PROFILE_LOG,
                      .bytes = 96 * MIB, /* innodb_log_file_size */
                      .unit = 4 * KIB,
                      .segment = SEGMENT_RECYCLED,
                      .count = 1,
                      .is_direct = true},
            [DOUBLE_WRITE] = {.name = "ibdata1",
                              .kind = PROFILE_PAGES,
                              .bytes = 2 * MIB,
                              .unit = 16 * KIB,
                              .is_direct = true},
            [TABLE] = {.name = "table.ibd",
                       .kind = PROFILE_PAGES,
                       .bytes = 64 * MIB,
                       .unit = 16 * KIB,
                       .is_direct = true},
        },
    .steps = {{ACT_COMMIT, REDO, .bytes = 8 * KIB}},
    .works =
        {
            {.name = "page cleaner",
             .period_ns = BILLION,
             .steps = {{ACT_WRITE_RUN, DOUBLE_WRITE, .count = 64},
                       {.act = ACT_SYNC, .file = DOUBLE_WRITE},
                       {ACT_WRITE, TABLE, .count = 64},
                       {.act = ACT_SYNC, .file = TABLE}}},
        },
    .clients = 8,
};
