// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/methods/overwrites.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/contents.h"
#include "util/descriptor.h"

/* ---- blocks of one file ---------------------------------------------------------------------- */

static int write_block(struct work *w, uint32_t block, uint64_t version)
{
    return contents_write(w, w->fd, layout_stamp(w->method, w->worker, 0), block, 1, version,
                          methods[w->method].write_flags);
}

static int fill_file(struct work *w, int fd)
{
    uint32_t blocks = methods[w->method].is_control ? CONTROL_BLOCKS : w->header->units;
    uint64_t stamp = layout_stamp(w->method, w->worker, 0);
    int rc = 0;
    for (uint32_t block = 0; rc == 0 && block < blocks; block += METHOD_BUFFER) {
        uint32_t left = blocks - block;
        rc = contents_write(w, fd, stamp, block, left < METHOD_BUFFER ? left : METHOD_BUFFER, 0, 0);
    }
    return rc == 0 && w->first_sync ? work_called(w, "fsync", w->first_sync(fd)) : rc;
}

int blocks_begin(struct work *w)
{
    char name[LAYOUT_NAME];
    layout_worker_name(name, w->method, w->worker);
    int fd = work_create(w, w->directory_fd, name, 0);
    int rc = fd < 0 ? fd : fill_file(w, fd);
    descriptor_close(&fd);
    if (rc != 0)
        return rc;
    w->fd = openat(w->directory_fd, name,
                   O_RDWR | O_NOFOLLOW | O_CLOEXEC | methods[w->method].open_flags);
    return work_called(w, "open", w->fd);
}

void blocks_end(struct work *w)
{
    descriptor_close(&w->fd);
    descriptor_close(&w->other_fd);
}

int blocks_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return write_block(w, unit, versions[0]);
}

int syncfs_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < w->batch; i++)
        rc = write_block(w, unit + i, versions[i]);
    return rc == 0 ? work_called(w, "syncfs", syncfs(w->fd)) : rc;
}

static void note_overwrite(struct overwrites *o, const struct sight *s, uint64_t promised)
{
    if (s->finding != FOUND_KEPT || s->newest <= promised)
        return;
    o->under_way++;
    o->torn += s->torn_at > 0;
    if (s->torn_at > 0 && (o->torn_at == 0 || s->torn_at < o->torn_at))
        o->torn_at = s->torn_at;
}

void blocks_judge(struct judging *j, unsigned worker)
{
    char name[LAYOUT_NAME];
    struct sight sight;
    uint32_t first = worker * header_units_of_worker(j->header, j->method);
    layout_worker_name(name, j->method, worker);
    int fd = judging_open(j, j->directory_fd, name);
    for (uint32_t block = 0; block < j->header->units; block++) {
        uint64_t promised = ledger_promise(j->ledger, j->method, first + block)->version;
        if (promised == 0)
            continue;
        if (fd < 0) {
            judging_add_finding(j, first + block, judging_failure(j, -fd), name);
            continue;
        }
        versions_check(j, fd, layout_stamp(j->method, worker, 0), block, 1, promised, &sight);
        note_overwrite(&j->findings->overwrites, &sight, promised);
        judging_add(j, first + block, &sight, name);
    }
    descriptor_close(&fd);
}

/* ---- a file that grows ----------------------------------------------------------------------- */

/* Number of the tail's file that contains a version. */
static uint64_t file_of(const struct header *h, uint64_t version)
{
    return (version - 1) / h->units;
}

static uint64_t block_of(const struct header *h, uint64_t version)
{
    return (version - 1) % h->units;
}

/* Makes the tail's file with that number; its name must not exist yet. */
static int open_next(struct work *w, uint64_t number)
{
    char name[LAYOUT_NAME];
    descriptor_close(&w->other_fd);
    layout_tail_name(name, w->method, w->worker, number);
    w->other_fd = work_create(w, w->directory_fd, name, 0);
    return w->other_fd >= 0 ? 0 : w->other_fd;
}

/*
 * Makes the name of the tail's file `number` durable, when that file has its first block, and
 * removes the file before it.
 */
static int leave_last(struct work *w, uint64_t number)
{
    char name[LAYOUT_NAME];
    int rc = work_called(w, "fsync of the directory", fsync(w->directory_fd));
    if (rc != 0 || number == 0)
        return rc;
    layout_tail_name(name, w->method, w->worker, number - 1);
    return work_called(w, "unlink", unlinkat(w->directory_fd, name, 0));
}

static int append_block(struct work *w, uint64_t version, const char *call, int (*sync)(int fd))
{
    uint64_t number = file_of(w->header, version);
    uint64_t block = block_of(w->header, version);
    int rc = block == 0 ? open_next(w, number) : 0;
    if (rc == 0)
        rc = contents_write(w, w->other_fd, layout_stamp(w->method, w->worker, number + 1), block,
                            1, version, 0);
    if (rc == 0)
        rc = work_called(w, call, sync(w->other_fd));
    if (rc == 0 && block == 0)
        rc = leave_last(w, number);
    return rc;
}

/* Examines one of the tail's files, up to its block with number `blocks` - 1. */
static void check_tail_file(struct judging *j, unsigned worker, uint64_t number, uint64_t blocks,
                            struct sight *s, char name[LAYOUT_NAME])
{
    layout_tail_name(name, j->method, worker, number);
    int fd = judging_open(j, j->directory_fd, name);
    *s = (struct sight){.finding = fd < 0 ? judging_failure(j, -fd) : FOUND_KEPT};
    for (uint64_t block = 0; s->finding == FOUND_KEPT && block < blocks; block++)
        versions_check(j, fd, layout_stamp(j->method, worker, number + 1), block, 1,
                       number * j->header->units + block + 1, s);
    descriptor_close(&fd);
}

/* The search for a file that has replaced the one with the promised version. */
struct successor {
    struct judging *j;
    unsigned worker;
    uint64_t promised_file;
    struct sight sight; /* what the best later file shows */
    char name[LAYOUT_NAME];
};

static void see_successor(void *context, int fd, const char *name)
{
    struct successor *s = context;
    struct sight sight;
    char found[LAYOUT_NAME];
    uint64_t number;
    (void)fd;
    if (s->sight.finding == FOUND_KEPT ||
        !layout_parse_tail(name, s->j->method, s->worker, &number) || number <= s->promised_file)
        return;
    check_tail_file(s->j, s->worker, number, 1, &sight, found);
    if (sight.finding == FOUND_KEPT || s->sight.finding == FOUND_MISSING) {
        s->sight = sight;
        memcpy(s->name, found, sizeof s->name);
    }
}

static void judge_tail(struct judging *j, unsigned worker)
{
    const struct header *h = j->header;
    uint32_t unit = worker * header_units_of_worker(h, j->method) + h->units;
    uint64_t promised = ledger_promise(j->ledger, j->method, unit)->version;
    if (promised == 0)
        return;
    struct successor s = {.j = j, .worker = worker, .promised_file = file_of(h, promised)};
    check_tail_file(j, worker, s.promised_file, block_of(h, promised) + 1, &s.sight, s.name);
    if (s.sight.finding == FOUND_MISSING) {
        int rc = directory_list(j->directory_fd, ".", see_successor, &s);
        if (rc < 0 && s.sight.finding != FOUND_KEPT)
            s.sight.finding = judging_failure(j, -rc);
    }
    judging_add(j, unit, &s.sight, s.name);
}

/* The unit after the blocks is the tail. The sync promises its contents and its size. */
static int change_unit(struct work *w, uint32_t unit, uint64_t version, const char *call,
                       int (*sync)(int fd))
{
    if (unit == w->header->units)
        return append_block(w, version, call, sync);
    int rc = write_block(w, unit, version);
    return rc == 0 ? work_called(w, call, sync(w->fd)) : rc;
}

int fsync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return change_unit(w, unit, versions[0], "fsync", fsync);
}

int fdatasync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return change_unit(w, unit, versions[0], "fdatasync", fdatasync);
}

void fsync_judge(struct judging *j, unsigned worker)
{
    blocks_judge(j, worker);
    judge_tail(j, worker);
}

/* ---- a mapping ------------------------------------------------------------------------------- */

static size_t mapping_bytes(const struct work *w)
{
    return (size_t)w->header->units * w->header->block_bytes;
}

int msync_begin(struct work *w)
{
    int rc = blocks_begin(w);
    if (rc == 0)
        rc = work_called(w, "memfd_create", w->other_fd = memfd_create("block", MFD_CLOEXEC));
    if (rc != 0)
        return rc;
    void *map = mmap(NULL, mapping_bytes(w), PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
    w->own = map == MAP_FAILED ? NULL : map;
    return work_called(w, "mmap", w->own ? 0 : -1);
}

/*
 * Builds the block in a memory file, and reads it into the mapping from there: where the storage
 * fails, a store would end the program with SIGBUS, but read(2) fails with EFAULT.
 */
static int change_mapping(struct work *w, char *to, uint32_t unit, uint64_t version)
{
    size_t bytes = w->header->block_bytes;
    pattern_fill(w->pattern, w->buffer, bytes, layout_stamp(w->method, w->worker, 0),
                 (uint64_t)unit * bytes, version);
    w->call = "change of the mapping";
    if (pwrite(w->other_fd, w->buffer, bytes, 0) != (ssize_t)bytes)
        return -errno;
    ssize_t got = pread(w->other_fd, to, bytes, 0);
    if (got < 0 && errno != EFAULT)
        return -errno;
    return got == (ssize_t)bytes ? 0 : -EIO;
}

int msync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    size_t bytes = w->header->block_bytes;
    char *to = (char *)w->own + (size_t)unit * bytes;
    size_t into_page = (size_t)unit * bytes % (size_t)sysconf(_SC_PAGESIZE);
    int rc = change_mapping(w, to, unit, versions[0]);
    return rc == 0 ? work_called(w, "msync", msync(to - into_page, bytes + into_page, MS_SYNC))
                   : rc;
}

void msync_end(struct work *w)
{
    if (w->own)
        munmap(w->own, mapping_bytes(w));
    blocks_end(w);
}

/* ---- control groups -------------------------------------------------------------------------- */

int control_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    uint64_t write = versions[0];
    uint32_t block = (uint32_t)((write - 1) % CONTROL_GROUPS) * CONTROL_BATCH;
    (void)unit;
    return contents_write(w, w->fd, layout_stamp(w->method, w->worker, 0), block, CONTROL_BATCH,
                          control_version(write, block), 0);
}

void control_judge(struct judging *j, unsigned worker)
{
    char name[LAYOUT_NAME];
    struct sight sight;
    struct control_tally *t = &j->findings->controls[j->method];
    uint64_t writes = ledger_promise(j->ledger, j->method, 0)->version;
    uint64_t durable = j->method == method_cached ? j->ledger->cached_from : 0;
    layout_worker_name(name, j->method, worker);
    int fd = judging_open(j, j->directory_fd, name);
    for (uint32_t block = 0; fd >= 0 && durable < writes && block < CONTROL_BLOCKS; block++) {
        uint64_t version = control_version(writes, block);
        if (version == control_version(durable, block))
            continue;
        versions_check(j, fd, layout_stamp(j->method, worker, 0), block, 1, version, &sight);
        t->blocks += sight.finding == FOUND_KEPT || sight.finding == FOUND_LOST;
        t->lost += sight.finding == FOUND_LOST;
    }
    descriptor_close(&fd);
}
