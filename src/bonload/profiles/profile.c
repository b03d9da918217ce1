// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/profiles/profile.h"

#include <ctype.h>

#include "bonload/plan/plan.h"
#include "cli/parser.h"
#include "sys/input.h"

/* ---- programs' profiles ---------------------------------------------------------------------- */

enum { ETCD_WAL, ETCD_DB };

/* etcd: a put of 1 KiB becomes a record in the write-ahead log, which one thread writes with all
 * that have arrived by then, and syncs. Ten times a second, the database (bbolt) gets the changed
 * pages, a sync, the page with the new root, and a sync. Segments have 64 MB (SegmentSizeBytes). */
static const struct profile etcd = {
    .name = "etcd",
    .programs = "etcd3,kubernetes,k8s",
    .program = "etcd 3.4.23",
    .source = "etcd 3.4 documentation: FAQ (fdatasync p99 < 10 ms, backend commit p99 < 25 ms) and "
              "\"Hardware recommendations\" (50 and 500 sequential IOPS)",
    .request = "writes",
    .sync = "fdatasync",
    .files = {[ETCD_WAL] = {"wal", PROFILE_LOG, 64 * MILLION, 1, SEGMENT_PREALLOCATED, .count = 2},
              [ETCD_DB] = {"db", PROFILE_PAGES, 32 * MIB, .unit = 4 * KIB}},
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

/* PostgreSQL: a transaction of pgbench reads pages that are not in the shared buffers, and commits:
 * it writes the pages of the write-ahead log, from the one that was written last to the one in
 * which the commit ends, and syncs them. Backends that commit meanwhile share the next sync.
 * Segments are recycled; there are 80 MiB of them (min_wal_size). In the background the
 * checkpointer writes pages, lets the kernel start writeback of each, and syncs at the end. A real
 * checkpoint takes minutes; this one is small enough to be measured in half a minute. */
static const struct profile postgres = {
    .name = "postgres",
    .programs = "postgresql,pg,psql",
    .program = "PostgreSQL 15.18",
    .request = "commits",
    .sync = "fdatasync",
    .files = {[POSTGRES_WAL] = {"wal", PROFILE_LOG, 16 * MIB, 8 * KIB, SEGMENT_RECYCLED,
                                .count = 5},
              [POSTGRES_TABLE] = {"table", PROFILE_PAGES, 64 * MIB, .unit = 8 * KIB}},
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

/* MariaDB (InnoDB) with its defaults: a commit writes the blocks of the redo log with O_DIRECT,
 * from the last written one on, and syncs them. Commits that arrive meanwhile are written with the
 * next one. The log is one file, written round and round (innodb_log_file_size). Once a second, the
 * page cleaner writes to the double-write buffer, syncs, writes pages to their place, and syncs. */
static const struct profile mariadb = {
    .name = "mariadb",
    .programs = "mysql,innodb,percona",
    .program = "MariaDB 10.11.19",
    .request = "commits",
    .sync = "fdatasync",
    .files = {[MARIADB_REDO] = {"ib_logfile0", PROFILE_LOG, 96 * MIB, 4 * KIB, SEGMENT_RECYCLED, 1,
                                .is_direct = true},
              [MARIADB_DOUBLE_WRITE] = {"ibdata1", PROFILE_PAGES, 2 * MIB, 16 * KIB,
                                        .is_direct = true},
              [MARIADB_TABLE] = {"table.ibd", PROFILE_PAGES, 64 * MIB, 16 * KIB,
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

/* Redis with appendonly yes and appendfsync everysec: one thread writes to the append-only file
 * what all clients have sent by then. Another thread syncs the file every second. Meanwhile writes
 * are put off, and clients answered at once; after two seconds they are made, and if the kernel
 * holds them back, all clients stall. A segment has 64 MiB (auto-aof-rewrite-min-size). */
static const struct profile redis = {
    .name = "redis",
    .programs = "valkey",
    .program = "Redis 7.0.15",
    .source = "Redis documentation, \"Redis persistence\", and aof.c, flushAppendOnlyFile(): while "
              "a sync takes longer than 2 s, writes are no longer postponed, and block",
    .request = "appends",
    .sync = "write",
    .files = {[REDIS_AOF] = {"aof", PROFILE_LOG, 64 * MIB, 1, SEGMENT_GROWS, .count = 2,
                             .put_off_ns = 2 * BILLION}},
    .steps = {{ACT_APPEND, REDIS_AOF, .bytes = 144}},
    .works = {{.name = "fdatasync",
               .period_ns = BILLION,
               .steps = {{.act = ACT_SYNC, .file = REDIS_AOF}}}},
    .loads = {1000},
    .limits = {{0, "fdatasync", 100, 2 * BILLION}},
};

enum { MAILDIR_MAIL };

/* A delivery to a maildir, as dovecot-lda makes it: it creates a message in tmp, writes and syncs
 * it, renames it to new, and syncs new. The reader later unlinks many at once: an expunge. */
static const struct profile maildir = {
    .name = "maildir",
    .programs = "dovecot,mail,imap,postfix",
    .program = "dovecot-lda 2.3.19",
    .request = "deliveries",
    .sync = "fsync",
    .files = {[MAILDIR_MAIL] = {"mail", PROFILE_MAILBOX, 5437, .count = 1000}},
    .steps = {{.act = ACT_DELIVER, .file = MAILDIR_MAIL}},
    .works = {{.name = "expunge",
               .period_ns = BILLION / 10,
               .steps = {{.act = ACT_EXPIRE, .file = MAILDIR_MAIL}}}},
    .clients = 8,
};

enum { SQLITE_WAL, SQLITE_JOURNAL = SQLITE_WAL, SQLITE_DB };

/* SQLite in WAL mode with synchronous=FULL: a transaction that changes one page appends a frame to
 * the write-ahead log, its header and the page, and syncs the log. The commit that fills the log to
 * 1000 pages (wal_autocheckpoint) copies the pages to the database: those that 1000 updates of
 * random rows have changed, of 20,000 rows in 2 MiB. Then it syncs, and begins the log anew. */
static const struct profile sqlite = {
    .name = "sqlite",
    .programs = "sqlite3",
    .program = "SQLite 3.40.1",
    .request = "commits",
    .sync = "fdatasync",
    .files = {[SQLITE_WAL] = {"wal", PROFILE_FILE, 32 + 1000 * 4120, .count = 1},
              [SQLITE_DB] = {"db", PROFILE_PAGES, 2 * MIB, .unit = 4 * KIB}},
    .steps = {{.act = ACT_PUT, .file = SQLITE_WAL, .bytes = 24, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_WAL, .bytes = 4096, .at = AT_NEXT},
              {.act = ACT_SYNC, .file = SQLITE_WAL}},
    .works = {{.name = "checkpoint",
               .every = 1000,
               .steps = {{.act = ACT_SYNC, .file = SQLITE_WAL},
                         {.act = ACT_WRITE, .file = SQLITE_DB, .count = 460},
                         {.act = ACT_SYNC, .file = SQLITE_DB},
                         {.act = ACT_PUT, .file = SQLITE_WAL, .bytes = 32},
                         {.act = ACT_SYNC, .file = SQLITE_WAL}}}},
    .clients = 1,
};

/* SQLite with its rollback journal and synchronous=FULL: a transaction writes the old contents of
 * the two pages that it changes (a row's, and the first one, which counts changes) to a new
 * journal, syncs it and its directory, writes how many pages the journal has, syncs, writes the
 * pages to the database, syncs, and unlinks the journal. */
static const struct profile sqlite_journal = {
    .name = "sqlite-journal",
    .program = "SQLite 3.40.1",
    .request = "commits",
    .sync = "fdatasync",
    .files = {[SQLITE_JOURNAL] = {"journal", PROFILE_FILE, 12 * KIB, .count = 1},
              [SQLITE_DB] = {"db", PROFILE_PAGES, 2 * MIB, .unit = 4 * KIB}},
    .steps = {{.act = ACT_CREATE, .file = SQLITE_JOURNAL},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 512, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 4, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 4096, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 4, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 4, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 4096, .at = AT_NEXT},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 4, .at = AT_NEXT},
              {.act = ACT_SYNC, .file = SQLITE_JOURNAL},
              {.act = ACT_SYNC_DIRECTORY},
              {.act = ACT_PUT, .file = SQLITE_JOURNAL, .bytes = 12},
              {.act = ACT_SYNC, .file = SQLITE_JOURNAL},
              {.act = ACT_WRITE, .file = SQLITE_DB, .count = 2},
              {.act = ACT_SYNC, .file = SQLITE_DB},
              {.act = ACT_REMOVE, .file = SQLITE_JOURNAL}},
    .clients = 1,
};

const struct profile *const profile_table[] = {
    &etcd, &postgres, &mariadb, &redis, &maildir, &sqlite, &sqlite_journal, NULL,
};

const char *const profile_words[] = {"etcd",   "postgres",       "mariadb", "redis", "maildir",
                                     "sqlite", "sqlite-journal", "all",     NULL};
_Static_assert(sizeof profile_words == sizeof profile_table + sizeof *profile_words,
               "a word for each profile, and all");

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
    for (const struct profile_file *f = p->files; f < p->files + PROFILE_FILES; f++)
        bytes += f->kind == PROFILE_PAGES ? f->bytes : f->bytes * f->count;
    return bytes;
}

const struct profile_limit *profile_sought_limit(const struct profile *p)
{
    for (unsigned i = 0; i < PROFILE_LIMITS && p->limits[i].name; i++)
        if (p->limits[i].on == LIMIT_ON_SYNC && p->limits[i].percent < 100)
            return &p->limits[i];
    return NULL;
}

/* ---- the user's own -------------------------------------------------------------------------- */

#define MAX_TEXT       (64 * KIB)
#define MAX_LINE_WORDS 16
#define BLOCK          4096 /* unit of pages, and of logs with O_DIRECT */
#define MAX_BYTES      TIB
#define MAX_SEGMENTS   8
#define MAX_NUMBER     1000000 /* of most things that are counted */
#define MAX_CLIENTS    100000
#define MAX_PAGES      4096
#define MAX_MESSAGE    (16 * MIB)
#define MAX_UNIT       MIB

struct parser {
    struct profile *profile;
    struct err *e;
    unsigned line; /* the current one, and its words */
    char *words[MAX_LINE_WORDS];
    unsigned count;
    unsigned files; /* what earlier lines have defined */
    unsigned works;
    unsigned limits;
    unsigned loads;
};

static int refuse_line(struct parser *r, const char *accepted)
{
    return err_say(r->e, "line %u of the profile: expected %s", r->line, accepted);
}

static bool parse_size(const char *text, uint64_t least, uint64_t most, uint64_t *bytes)
{
    uint64_t value;
    if (!text || units_parse_size(text, UNITS_AS_GO, &value) != 0 || value < least || value > most)
        return false;
    *bytes = value;
    return true;
}

static bool parse_number(const char *text, uint64_t most, unsigned *number)
{
    uint64_t value;
    if (!text || units_parse_count(text, &value) != 0 || value < 1 || value > most)
        return false;
    *number = (unsigned)value;
    return true;
}

static int find_file(const struct profile *p, const char *name)
{
    for (unsigned i = 0; i < PROFILE_FILES && name; i++)
        if (p->files[i].name && strcmp(p->files[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int add_file(struct parser *r, enum profile_file_kind kind)
{
    static const char accepted[] =
        "NAME SIZE and, for a log, [unit=SIZE] [count=1..8] preallocated, recycled or grows "
        "[direct]; for pages, unit=SIZE [direct], a multiple of 4096; for a mailbox, count=N; "
        "for a file, nothing";
    static const char *const segments[] = {"preallocated", "recycled", "grows", NULL}; /* enum */
    if (r->files == PROFILE_FILES)
        return refuse_line(r, "no more than 4 files");
    struct profile_file f = {.kind = kind,
                             .unit = kind == PROFILE_PAGES ? BLOCK : 1,
                             .count = kind == PROFILE_FILE ? 1 : 2};
    bool is_right = r->count >= 3 && parse_size(r->words[2], 1, MAX_BYTES, &f.bytes);
    if (is_right && find_file(r->profile, r->words[1]) >= 0)
        return refuse_line(r, "a name that no other file has");
    for (unsigned i = 3; is_right && i < r->count; i++) {
        const char *word = r->words[i];
        int segment = value_word(word, segments);
        if (segment >= 0)
            f.segment = (enum profile_segment)segment;
        else if (strcmp(word, "direct") == 0)
            f.is_direct = true;
        else if (strncmp(word, "unit=", 5) == 0)
            is_right = parse_size(word + 5, 1, MAX_UNIT, &f.unit);
        else
            is_right =
                strncmp(word, "count=", 6) == 0 &&
                parse_number(word + 6, kind == PROFILE_LOG ? MAX_SEGMENTS : MAX_NUMBER, &f.count);
    }
    bool is_possible = kind == PROFILE_MAILBOX ? f.bytes <= MAX_MESSAGE
                       : kind == PROFILE_FILE  ? f.count == 1 && f.unit == 1
                       : kind == PROFILE_PAGES
                           ? f.unit % BLOCK == 0 && f.bytes >= f.unit
                           : f.bytes % f.unit == 0 && (!f.is_direct || f.unit % BLOCK == 0) &&
                                 (f.segment == SEGMENT_RECYCLED || f.count > 1);
    if (!is_right || !is_possible)
        return refuse_line(r, accepted);
    f.name = r->words[1];
    r->profile->files[r->files++] = f;
    return 0;
}

/* What follows the name of the file in a step. */
enum operand { OPERAND_NONE, OPERAND_PAGES, OPERAND_BYTES, OPERAND_PLACE, OPERAND_FILE };
static const struct step_word {
    const char *word;
    enum profile_act act;
    enum profile_file_kind kind;
    enum operand operand;
} step_words[] = {
    {"read", ACT_READ, PROFILE_PAGES, OPERAND_PAGES},
    {"write", ACT_WRITE, PROFILE_PAGES, OPERAND_PAGES},
    {"write-out", ACT_WRITE_OUT, PROFILE_PAGES, OPERAND_PAGES},
    {"write-run", ACT_WRITE_RUN, PROFILE_PAGES, OPERAND_PAGES},
    {"append", ACT_APPEND, PROFILE_LOG, OPERAND_BYTES},
    {"commit", ACT_COMMIT, PROFILE_LOG, OPERAND_BYTES},
    {"sync", ACT_SYNC, PROFILE_LOG, OPERAND_NONE},
    {"sync", ACT_SYNC, PROFILE_PAGES, OPERAND_NONE},
    {"sync-all", ACT_SYNC_ALL, PROFILE_PAGES, OPERAND_NONE},
    {"deliver", ACT_DELIVER, PROFILE_MAILBOX, OPERAND_NONE},
    {"expire", ACT_EXPIRE, PROFILE_MAILBOX, OPERAND_NONE},
    {"create", ACT_CREATE, PROFILE_FILE, OPERAND_NONE},
    {"put", ACT_PUT, PROFILE_FILE, OPERAND_PLACE},
    {"sync", ACT_SYNC, PROFILE_FILE, OPERAND_NONE},
    {"sync-all", ACT_SYNC_ALL, PROFILE_FILE, OPERAND_NONE},
    {"remove", ACT_REMOVE, PROFILE_FILE, OPERAND_NONE},
    {"rename", ACT_RENAME, PROFILE_FILE, OPERAND_FILE},
};

/* Parses "ACT FILE WORD WORD", or less, and changes the text. Returns false when it is wrong. */
static bool parse_step(const struct profile *p, char *text, struct profile_step *s)
{
    char *rest;
    const char *words[5] = {NULL};
    const struct step_word *w = step_words;
    const struct step_word *end = w + sizeof step_words / sizeof *step_words;
    unsigned count = 0;
    for (char *next = text; count < 5 && (words[count] = strtok_r(next, " \t\r", &rest)); count++)
        next = NULL;
    if (count == 1 && strcmp(words[0], "sync-dir") == 0) {
        *s = (struct profile_step){.act = ACT_SYNC_DIRECTORY};
        return true;
    }
    int file = count > 1 ? find_file(p, words[1]) : -1;
    if (file < 0 || count == 5)
        return false;
    while (w < end && (strcmp(w->word, words[0]) != 0 || w->kind != p->files[file].kind))
        w++;
    if (w == end)
        return false;
    const uint64_t size = p->files[file].bytes;
    int other;
    *s = (struct profile_step){.act = w->act, .file = (unsigned)file};
    switch (w->operand) {
    case OPERAND_NONE:
        return count == 2;
    case OPERAND_PAGES:
        return count == 3 && parse_number(words[2], MAX_PAGES, &s->count);
    case OPERAND_BYTES:
        return count == 3 && parse_size(words[2], 1, size < MAX_UNIT ? size : MAX_UNIT, &s->bytes);
    case OPERAND_PLACE:
        s->at = AT_NEXT;
        return count == 4 &&
               (strcmp(words[2], "next") == 0 || parse_size(words[2], 0, size, &s->at)) &&
               parse_size(words[3], 1, s->at == AT_NEXT ? size : size - s->at, &s->bytes) &&
               s->bytes <= MAX_UNIT;
    case OPERAND_FILE:
        other = find_file(p, words[2]);
        s->count = (unsigned)other;
        return count == 3 && other >= 0 && other != file && p->files[other].kind == PROFILE_FILE;
    }
    return false;
}

static int parse_steps(struct parser *r, char *text, struct profile_step *steps)
{
    char *rest;
    unsigned count = 0;
    for (char *one = strtok_r(text, ";", &rest); one; one = strtok_r(NULL, ";", &rest))
        if (count == PROFILE_STEPS || !parse_step(r->profile, one, &steps[count++]))
            return refuse_line(
                r, "up to 32 of: read, write, write-out or write-run PAGES NUMBER; append "
                   "or commit LOG BYTES; create or remove FILE; put FILE OFFSET|next BYTES; rename "
                   "FILE FILE; sync FILE; sync-all FILE; sync-dir; deliver or expire "
                   "MAILBOX; separated by semicolons, of files that are named above");
    return count > 0 ? 0 : refuse_line(r, "a step");
}

static int parse_line(struct parser *r, char *text)
{
    static const char *const kinds[] = {[PROFILE_LOG] = "log",
                                        [PROFILE_PAGES] = "pages",
                                        [PROFILE_MAILBOX] = "mailbox",
                                        [PROFILE_FILE] = "file"};
    struct profile *p = r->profile;
    char *steps = NULL; /* what follows the colon */
    char *rest;
    text += strspn(text, " \t\r");
    if (*text == '\0' || *text == '#')
        return 0;
    if (strncmp(text, "source ", 7) == 0) {
        p->source = text + 7;
        return 0;
    }
    if (strncmp(text, "request", 7) == 0 || strncmp(text, "beside ", 7) == 0 ||
        strncmp(text, "every ", 6) == 0)
        steps = strchr(text, ':');
    if (steps)
        *steps++ = '\0';
    r->count = 0;
    for (char *word = strtok_r(text, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        if (r->count == MAX_LINE_WORDS)
            return refuse_line(r, "fewer words");
        if (!is_printable(word))
            return refuse_line(r, "words of UTF-8, without control characters");
        r->words[r->count++] = word;
    }
    ASSUME(r->count > 0);
    const char *first = r->words[0];
    bool is_every = strcmp(first, "every") == 0;
    if (steps && (is_every || strcmp(first, "beside") == 0)) {
        struct profile_work *w = &p->works[r->works];
        if (r->works == PROFILE_WORKS || r->count != 3 ||
            (is_every
                 ? !parse_number(r->words[2], MAX_NUMBER, &w->every)
                 : units_parse_duration(r->words[2], 0, &w->period_ns) != 0 || w->period_ns == 0))
            return refuse_line(r, "beside NAME PERIOD: STEP; ..., or every NAME REQUESTS: STEP; "
                                  "..., three times at most");
        w->name = r->words[1];
        r->works++;
        return parse_steps(r, steps, w->steps);
    }
    if (steps && r->count == 1 && strcmp(first, "request") == 0 && p->steps[0].act == ACT_NONE)
        return parse_steps(r, steps, p->steps);
    for (enum profile_file_kind kind = PROFILE_LOG; kind <= PROFILE_FILE; kind++)
        if (strcmp(first, kinds[kind]) == 0)
            return add_file(r, kind);
    if (strcmp(first, "limit") == 0) {
        struct profile_limit l = {.on = LIMIT_ON_SYNC, .name = r->words[1]};
        struct latency_limit figure;
        if (r->limits == PROFILE_LIMITS || r->count != 4 ||
            !limit_figure_parse(r->words[2], &figure) ||
            units_parse_duration(r->words[3], 0, &l.nanoseconds) != 0 || l.nanoseconds == 0)
            return refuse_line(r, "limit, then sync or the name of a beside line, then pN or max, "
                                  "and a duration; three at most");
        l.percent = figure.of == LIMIT_MAX ? 100 : figure.percent;
        bool is_found = strcmp(l.name, "sync") == 0;
        for (uint32_t i = 0; i < r->works && !is_found; i++) {
            is_found = strcmp(p->works[i].name, l.name) == 0;
            l.on = i;
        }
        if (!is_found)
            return refuse_line(r, "sync, or the name of a beside line above this one");
        p->limits[r->limits++] = l;
        return 0;
    }
    if (strcmp(first, "load") == 0)
        return r->loads < PROFILE_LOADS && r->count == 2 &&
                       parse_number(r->words[1], MAX_NUMBER, &p->loads[r->loads++])
                   ? 0
                   : refuse_line(r, "load N, in requests per second; twice at most");
    if (strcmp(first, "clients") == 0 && r->count == 2 &&
        parse_number(r->words[1], MAX_CLIENTS, &p->clients))
        return 0;
    if (strcmp(first, "name") == 0 && r->count == 2) {
        p->name = r->words[1];
        return 0;
    }
    return refuse_line(
        r, "name NAME, source TEXT, log, pages, mailbox or file NAME SIZE ..., one request: "
           "STEP; ..., beside NAME PERIOD: STEP; ..., every NAME REQUESTS: STEP; ..., load N, "
           "clients N or limit WHAT pN "
           "DURATION");
}

int profile_parse(struct profile *p, char *text, struct err *e)
{
    struct parser r = {.profile = p, .e = e, .line = 1};
    int rc = 0;
    *p = (struct profile){
        .program = "a profile of your own", .request = "requests", .sync = "sync", .clients = 8};
    for (char *line; rc == 0 && (line = strsep(&text, "\n")); r.line++)
        rc = parse_line(&r, line);
    if (rc != 0)
        return rc;
    if (!p->name)
        return err_say(e, "the profile has no line: name NAME");
    if (p->steps[0].act == ACT_NONE)
        return err_say(e, "the profile has no line: request: STEP; ...");
    if (profile_bytes(p) > MAX_BYTES)
        return err_say(e, "the files of the profile are larger than 1 TiB");
    return 0;
}

int profile_read(struct profile *p, const char *path, char **text, struct err *e)
{
    char lower[VALUE_WORD];
    size_t length;
    struct err failure = {0};
    int rc = input_read("-good-for: read", path, MAX_TEXT, text, &length, &failure);
    if (rc == -ENOENT && !strchr(path, '/')) {
        /* perhaps the name of a profile's program, or nearly that of a profile */
        const char *near = cli_nearest(profile_words, path);
        for (length = 0; path[length] != '\0' && length + 1 < sizeof lower; length++)
            lower[length] = (char)tolower((unsigned char)path[length]);
        for (const struct profile *const *other = profile_table; *other; other++)
            if ((*other)->programs && word_list_has((*other)->programs, lower, length))
                near = (*other)->name;
        return err_say(e,
                       "-good-for: there is no profile '%.100s', and no file of that name; %s%s%s",
                       path, near ? "did you mean " : "-good-for=list prints the profiles",
                       near ? near : "", near ? "?" : "");
    }
    if (rc != 0) {
        err_append(e, &failure);
        return rc;
    }
    if (length == MAX_TEXT || memchr(*text, '\0', length))
        return err_say(e, "-good-for: %s is not a profile: it is not a text of less than 64 KiB",
                       path);
    return profile_parse(p, *text, e);
}
