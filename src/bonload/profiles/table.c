// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"

#include <string.h>

#include "util/units.h"

enum { ETCD_WAL, ETCD_DB };

/*
 * etcd: a put of 1 KiB becomes a record in the write-ahead log. One thread writes the record
 * together with all others that have arrived by then, and syncs them. Ten times a second, the
 * database (bbolt) gets the changed pages and a sync, and then the page with the new root and a
 * sync.
 */
static const struct profile etcd = {
    .name = "etcd",
    .program = "etcd 3.4.23",
    .source = "etcd 3.4 documentation: FAQ (fdatasync p99 < 10 ms, backend commit p99 < 25 ms) and "
              "\"Hardware recommendations\" (50 and 500 sequential IOPS)",
    .request = "writes",
    .sync = "fdatasync",
    .files =
        {[ETCD_WAL] = {.name = "wal",
                       .kind = PROFILE_LOG,
                       .bytes = 64 * MILLION, /* SegmentSizeBytes of etcd's wal.go */
                       .unit = 1,
                       .segment = SEGMENT_PREALLOCATED,
                       .count = 2},
         [ETCD_DB] = {.name = "db", .kind = PROFILE_PAGES, .bytes = 32 * MIB, .unit = 4 * KIB}},
    .steps = {{ACT_COMMIT, ETCD_WAL, .bytes = 1392}},
    .works = {{.name = "backend commit",
               .period_ns = BILLION / 10,
               .steps = {{ACT_WRITE, ETCD_DB, .count = 13},
                         {.act = ACT_SYNC, .file = ETCD_DB},
                         {ACT_WRITE, ETCD_DB, .count = 1},
                         {.act = ACT_SYNC, .file = ETCD_DB}}}},
    .loads = {50, 500},
    .limits = {{LIMIT_ON_SYNC, "fdatasync", 99, 10 * MILLION},
               {0, "backend commit", 99, 25 * MILLION}},
};

enum { POSTGRES_WAL, POSTGRES_TABLE };

/*
 * PostgreSQL: a transaction of pgbench reads pages that are not in the shared buffers, and commits:
 * it writes the pages of the write-ahead log, from the one that was written last to the one in
 * which the commit ends, and syncs them. Backends that commit meanwhile share the next sync.
 * Segments are recycled. In the background the checkpointer writes pages, lets the kernel start
 * writeback of each, and syncs at the end. A real checkpoint takes minutes; this one is small
 * enough to be measured in half a minute.
 */
static const struct profile postgres = {
    .name = "postgres",
    .program = "PostgreSQL 15.18",
    .request = "commits",
    .sync = "fdatasync",
    .files = {[POSTGRES_WAL] = {.name = "wal",
                                .kind = PROFILE_LOG,
                                .bytes = 16 * MIB,
                                .unit = 8 * KIB,
                                .segment = SEGMENT_RECYCLED,
                                .count = 5}, /* min_wal_size: 80 MiB */
              [POSTGRES_TABLE] =
                  {.name = "table", .kind = PROFILE_PAGES, .bytes = 64 * MIB, .unit = 8 * KIB}},
    .steps = {{ACT_READ, POSTGRES_TABLE, .count = 2}, {ACT_COMMIT, POSTGRES_WAL, .bytes = 600}},
    .works = {{.name = "checkpoint write",
               .period_ns = BILLION / 10,
               .steps = {{ACT_WRITE_OUT, POSTGRES_TABLE, .count = 10}}},
              {.name = "checkpoint sync",
               .period_ns = 10 * BILLION,
               .steps = {{.act = ACT_SYNC_ALL, .file = POSTGRES_TABLE}}}},
    .clients = 8,
};

enum { MARIADB_REDO, MARIADB_DOUBLE_WRITE, MARIADB_TABLE };

/*
 * MariaDB (InnoDB) with its defaults: a commit writes the blocks of the redo log with O_DIRECT,
 * from the last written one on, and syncs them. Commits that arrive meanwhile are written with the
 * next one. The log is one file that is written round and round. Once a second, the page cleaner
 * writes all its pages in a row to the double-write buffer and syncs, and then writes each page to
 * its place and syncs.
 */
static const struct profile mariadb = {
    .name = "mariadb",
    .program = "MariaDB 10.11.19",
    .request = "commits",
    .sync = "fdatasync",
    .files = {[MARIADB_REDO] = {.name = "ib_logfile0",
                                .kind = PROFILE_LOG,
                                .bytes = 96 * MIB, /* innodb_log_file_size */
                                .unit = 4 * KIB,
                                .segment = SEGMENT_RECYCLED,
                                .count = 1,
                                .is_direct = true},
              [MARIADB_DOUBLE_WRITE] = {.name = "ibdata1",
                                        .kind = PROFILE_PAGES,
                                        .bytes = 2 * MIB,
                                        .unit = 16 * KIB,
                                        .is_direct = true},
              [MARIADB_TABLE] = {.name = "table.ibd",
                                 .kind = PROFILE_PAGES,
                                 .bytes = 64 * MIB,
                                 .unit = 16 * KIB,
                                 .is_direct = true}},
    .steps = {{ACT_COMMIT, MARIADB_REDO, .bytes = 8 * KIB}},
    .works = {{.name = "page cleaner",
               .period_ns = BILLION,
               .steps = {{ACT_WRITE_RUN, MARIADB_DOUBLE_WRITE, .count = 64},
                         {.act = ACT_SYNC, .file = MARIADB_DOUBLE_WRITE},
                         {ACT_WRITE, MARIADB_TABLE, .count = 64},
                         {.act = ACT_SYNC, .file = MARIADB_TABLE}}}},
    .clients = 8,
};

enum { REDIS_AOF };

/*
 * Redis with appendonly yes and appendfsync everysec: one thread writes to the append-only file
 * what all clients have sent by then. Another thread syncs the file every second, while writes
 * continue. If the kernel holds a write back meanwhile, all clients stall.
 */
static const struct profile redis = {
    .name = "redis",
    .program = "Redis 7.0.15",
    .source = "Redis documentation, \"Redis persistence\", and aof.c, flushAppendOnlyFile(): while "
              "a sync takes longer than 2 s, writes are no longer postponed, and block",
    .request = "appends",
    .sync = "write",
    .files = {[REDIS_AOF] = {.name = "aof",
                             .kind = PROFILE_LOG,
                             .bytes = 64 * MIB, /* auto-aof-rewrite-min-size */
                             .unit = 1,
                             .segment = SEGMENT_GROWS,
                             .count = 2}},
    .steps = {{ACT_APPEND, REDIS_AOF, .bytes = 144}},
    .works = {{.name = "fdatasync",
               .period_ns = BILLION,
               .steps = {{.act = ACT_SYNC, .file = REDIS_AOF}}}},
    .loads = {1000},
    .limits = {{0, "fdatasync", 100, 2 * BILLION}},
};

enum { MAILDIR_MAIL };

/*
 * A delivery to a maildir, as dovecot-lda makes it: it creates a message in tmp, writes and syncs
 * it, renames it to new, and syncs new. The reader of the mail unlinks the message later.
 */
static const struct profile maildir = {
    .name = "maildir",
    .program = "dovecot-lda 2.3.19",
    .request = "deliveries",
    .sync = "fsync",
    .files =
        {[MAILDIR_MAIL] = {.name = "mail", .kind = PROFILE_MAILBOX, .bytes = 5437, .count = 1000}},
    .steps = {{.act = ACT_DELIVER, .file = MAILDIR_MAIL}},
    .works = {{.name = "unlink",
               .period_ns = BILLION / 10,
               .steps = {{.act = ACT_EXPIRE, .file = MAILDIR_MAIL}}}},
    .clients = 8,
};

const struct profile *const profile_table[] = {
    &etcd, &postgres, &mariadb, &redis, &maildir, NULL,
};

const struct profile *profile_by_name(const char *name)
{
    const struct profile *const *p = profile_table;
    while (*p && strcmp((*p)->name, name) != 0)
        p++;
    return *p;
}

uint64_t profile_bytes(const struct profile *p)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < PROFILE_FILES; i++) {
        const struct profile_file *f = &p->files[i];
        bytes += f->kind == PROFILE_PAGES ? f->bytes : f->bytes * f->count;
    }
    return bytes;
}

const struct profile_limit *profile_sought_limit(const struct profile *p)
{
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++)
        if (p->limits[i].on == LIMIT_ON_SYNC && p->limits[i].percent < 100)
            return &p->limits[i];
    return NULL;
}
