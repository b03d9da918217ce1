// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/methods/contents.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "storage/page_cache.h"
#include "storage/scratch.h"
#include "util/descriptor.h"
#include "util/portable.h"

/* ---- writing --------------------------------------------------------------------------------- */

int work_called(struct work *w, const char *call, int result)
{
    w->call = call;
    return result >= 0 ? 0 : -errno;
}

int contents_write(struct work *w, int fd, uint64_t stamp, uint64_t block, unsigned blocks,
                   uint64_t version, int flags)
{
    size_t bytes = (size_t)blocks * w->header->block_bytes;
    uint64_t offset = block * w->header->block_bytes;
    pattern_fill(w->pattern, w->buffer, bytes, stamp, offset, version);
    w->call = "write";
    for (size_t done = 0; done < bytes;) {
        const struct iovec rest = {.iov_base = (char *)w->buffer + done, .iov_len = bytes - done};
        ssize_t written = portable_pwritev2(fd, &rest, 1, (off_t)(offset + done), flags);
        if (written < 0)
            return -errno;
        if (written == 0)
            return -EIO;
        done += (size_t)written;
    }
    return 0;
}

int work_create(struct work *w, int fd, const char *name, int flags)
{
    w->call = "create";
    int made = openat(fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    return made >= 0 ? made : -errno;
}

int work_make_directory(struct work *w, int fd, const char *name)
{
    w->call = "mkdir";
    if (mkdirat(fd, name, 0700) != 0)
        return -errno;
    w->call = "open";
    return directory_open(fd, name);
}

/* ---- reading --------------------------------------------------------------------------------- */

int judging_open(struct judging *j, int fd, const char *name)
{
    struct residency left = {0};
    struct err ignored = {0};
    int opened = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0)
        return -errno;
    if (j->evicts && page_cache_evict(opened, name, &left, &ignored) == 0 && left.known)
        j->resident_bytes += left.bytes;
    return opened;
}

enum finding judging_failure(struct judging *j, int code)
{
    if (code == ENOENT || code == ENOTDIR || code == ELOOP)
        return FOUND_MISSING;
    if (code == ENOMEM || code == EMFILE || code == ENFILE)
        j->failure = code; /* of this process: it says nothing about the storage */
    else if (j->findings->error == 0)
        j->findings->error = code;
    return FOUND_UNREADABLE;
}

int directory_list(int fd, const char *name, name_seen *see, void *context)
{
    int opened = directory_open(fd, name);
    DIR *directory = opened >= 0 ? fdopendir(opened) : NULL;
    if (!directory) {
        int rc = opened < 0 ? opened : -errno;
        descriptor_close(&opened);
        return rc;
    }
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(directory)); errno = 0)
        see(context, opened, entry->d_name);
    int rc = -errno;
    closedir(directory);
    return rc;
}

/*
 * Reads `bytes` bytes, or fewer at the end of the file. Returns the number of bytes, or -1 with
 * errno set.
 */
static ssize_t read_whole(int fd, char *to, size_t bytes, uint64_t offset)
{
    size_t length = 0;
    while (length < bytes) {
        ssize_t got = pread(fd, to + length, bytes - length, (off_t)(offset + length));
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)length;
}

static const char *foreign_detail(const struct judging *j, enum corruption_kind kind,
                                  const struct pattern_origin *found)
{
    if (kind == CORRUPTION_STALE && !pattern_is_of_run(j->pattern, found))
        return "of another run";
    return corruption_kind_name(kind);
}

static void sight_set(struct sight *s, enum finding finding, uint64_t offset)
{
    s->finding = finding;
    s->offset = offset;
}

static void check_sector(struct judging *j, const char *sector, uint64_t stamp, uint64_t offset,
                         uint64_t promised, struct sight *s)
{
    struct pattern_origin found;
    const struct pattern_place expected = {
        .file = stamp, .unit = offset / SECTOR_BYTES, .generation = PATTERN_ANY};
    enum corruption_kind kind = pattern_check(j->pattern, sector, &expected, true, &found);
    if (kind != CORRUPTION_NONE) {
        sight_set(s, FOUND_FOREIGN, offset);
        s->detail = foreign_detail(j, kind, &found);
        return;
    }
    uint64_t version = pattern_stamp_read(sector).origin.place.generation;
    s->oldest = version < s->oldest ? version : s->oldest;
    s->newest = version > s->newest ? version : s->newest;
    if (version < promised) {
        sight_set(s, FOUND_LOST, offset);
        s->has_version = true;
        s->found = version;
    }
}

/*
 * Lowers s->torn_at to the alignment of the boundary at offset `at` of the range, if the sectors
 * before and after it have different versions. The alignment is the largest power of two that
 * divides the offset.
 */
static void note_tear(struct sight *s, const char *sectors, size_t at)
{
    const struct pattern_stamp before = pattern_stamp_read(sectors + at - SECTOR_BYTES);
    const struct pattern_stamp here = pattern_stamp_read(sectors + at);
    uint32_t boundary = (uint32_t)(at & -at);
    if (before.origin.place.generation != here.origin.place.generation &&
        (s->torn_at == 0 || boundary < s->torn_at))
        s->torn_at = boundary;
}

/* Whether at least one sector of the range is as new as promised: then the loss is a torn write. */
static bool is_kept_in_part(struct judging *j, size_t bytes, uint64_t stamp, uint64_t offset,
                            uint64_t promised)
{
    const char *sectors = j->buffer;
    for (size_t at = 0; at < bytes; at += SECTOR_BYTES) {
        struct sight sector = {.finding = FOUND_KEPT};
        check_sector(j, sectors + at, stamp, offset + at, promised, &sector);
        if (sector.finding == FOUND_KEPT)
            return true;
    }
    return false;
}

void versions_check(struct judging *j, int fd, uint64_t stamp, uint64_t block, unsigned blocks,
                    uint64_t promised, struct sight *s)
{
    size_t bytes = (size_t)blocks * j->header->block_bytes;
    uint64_t offset = block * j->header->block_bytes;
    const char *sectors = j->buffer;
    *s = (struct sight){.finding = FOUND_KEPT, .offset = offset, .oldest = UINT64_MAX};
    ssize_t got = read_whole(fd, j->buffer, bytes, offset);
    if (got < 0 || (size_t)got < bytes) {
        sight_set(s, got < 0 ? judging_failure(j, errno) : FOUND_WRONG_SIZE, offset);
        return;
    }
    for (size_t at = 0; s->finding == FOUND_KEPT && at < bytes; at += SECTOR_BYTES)
        check_sector(j, sectors + at, stamp, offset + at, promised, s);
    if (s->finding == FOUND_LOST && is_kept_in_part(j, bytes, stamp, offset, promised))
        s->detail = "torn";
    for (size_t at = SECTOR_BYTES; s->finding == FOUND_KEPT && at < bytes; at += SECTOR_BYTES)
        note_tear(s, sectors, at);
}

void judging_add(struct judging *j, uint32_t unit, const struct sight *s, const char *file)
{
    findings_add(j->findings, j->ledger, j->method, unit, s, file);
}
