// SPDX-License-Identifier: GPL-2.0-or-later

#ifdef HAVE_LIBURING
#include <liburing.h>
#endif
#include <sys/mman.h>

#include "boncut/log.h"
#include "storage/page_cache.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/portable.h"

/* All methods: how they write and read blocks, which carry a stamp in every sector of 512 bytes;
 * those that overwrite blocks, and the canaries; those whose units are names; and the table. */

#define SECTOR_BYTES 512

/* ---- writing --------------------------------------------------------------------------------- */

/* Identifies a file of a method and a worker in the stamps of its blocks: its number is `file`. */
static uint64_t stamp_of(unsigned method, unsigned worker, uint64_t file)
{
    return (uint64_t)(method + 1) << 56 | (uint64_t)worker << 40 | file;
}

/* Part of a worker's file with that number. */
struct range {
    uint64_t file;
    uint64_t offset;
    size_t bytes;
};

/* Blocks, from block number `block` on. */
static struct range blocks_of(const struct header *h, uint64_t file, uint64_t block,
                              unsigned blocks)
{
    return (struct range){file, block * h->block_bytes, (size_t)blocks * h->block_bytes};
}

static void fill_buffer(const struct work *w, struct range range, uint64_t version)
{
    pattern_fill(w->pattern, w->buffer, range.bytes, stamp_of(w->method, w->worker, range.file),
                 range.offset, version);
}

/* Notes a call and its errno, if its result is negative. Returns whether it was successful. */
static bool called(struct work *w, const char *call, int result)
{
    w->call = call;
    w->error = result < 0 ? errno : 0;
    return result >= 0;
}

/* Writes one version of a range, with these flags of pwritev2(2). Continues after a short write, so
 * that the next call returns the reason; a write that must be whole has failed. */
static bool range_write(struct work *w, int fd, struct range range, uint64_t version, int flags)
{
    fill_buffer(w, range, version);
    for (size_t done = 0; done < range.bytes;) {
        const struct iovec rest = {(char *)w->buffer + done, range.bytes - done};
        ssize_t written = portable_pwritev2(fd, &rest, 1, (off_t)(range.offset + done), flags);
        if (written == 0 ||
            (written > 0 && (size_t)written < range.bytes && (flags & RWF_ATOMIC))) {
            written = -1;
            errno = EIO;
        }
        if (!called(w, "write", written < 0 ? -1 : 0))
            return false;
        done += (size_t)written;
    }
    return true;
}

/* Makes a file whose name must be new. Returns its descriptor or -1. */
static int work_create(struct work *w, int fd, const char *name)
{
    int made = openat(fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    called(w, "create", made);
    return made;
}

static int work_make_directory(struct work *w, int fd, const char *name)
{
    if (!called(w, "mkdir", mkdirat(fd, name, 0700)))
        return -1;
    int opened = directory_open(fd, name);
    if (opened < 0)
        errno = -opened;
    return called(w, "open", opened) ? opened : -1;
}

static bool sync_directory(struct work *w, int directory_fd)
{
    return called(w, "fsync of the directory", sync_again(directory_fd, fsync));
}

static bool sync_file(struct work *w, int fd, int (*sync)(int fd))
{
    return !sync || called(w, "fsync", sync_again(fd, sync));
}

uint32_t method_units_of_worker(const struct header *h, unsigned method)
{
    const struct method *m = &methods[method];
    uint32_t units = m->is_canary ? 1 : h->units + m->tails;
    return m->units_most > 0 ? MIN(units, m->units_most) : units;
}

uint32_t method_units(const struct header *h, unsigned method)
{
    return methods[method].is_canary ? 1 : h->workers * method_units_of_worker(h, method);
}

uint64_t canary_version(uint64_t writes, uint32_t block)
{
    return writes / CANARY_GROUPS + (block / CANARY_BATCH < writes % CANARY_GROUPS);
}

void *method_buffer(const struct header *h)
{
    return aligned_alloc(4096, round_up(MAX(METHOD_BUFFER * h->block_bytes, h->whole.most), 4096));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens a file for reading after the cut. If its cached pages may be from before the cut, evicts
 * them. Returns the descriptor or a negative errno. */
static int judging_open(struct judging *j, int fd, const char *name)
{
    struct residency left = {0};
    int opened = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0)
        return -errno;
    if (j->evicts && page_cache_evict(opened, name, &left, NULL) == 0 && left.known)
        j->resident_bytes += left.bytes;
    return opened;
}

/* What the failure of a call on a promised name means, by its errno: the name is missing, or cannot
 * be read. A lack of memory or descriptors is this process's, and ends the judging. */
static enum finding judging_failure(struct judging *j, int code)
{
    if (code == ENOENT || code == ENOTDIR || code == ELOOP)
        return FOUND_MISSING;
    if (code == ENOMEM || code == EMFILE || code == ENFILE)
        j->failure = code; /* of this process: it says nothing about the storage */
    else if (j->findings->error == 0)
        j->findings->error = code;
    return FOUND_UNREADABLE;
}

/* Examines a range of a file, of which at least version `promised` was promised. Newer versions
 * count as kept, even when they are mixed: each method decides whether a mixture is a fault. */
static void range_check(struct judging *j, int fd, struct range range, uint64_t promised,
                        struct sight *s)
{
    char *sectors = j->buffer;
    size_t length = 0;
    ssize_t got;
    uint64_t before = 0; /* version of the sound sector before this one */
    *s = (struct sight){.finding = FOUND_KEPT, .offset = range.offset, .oldest = UINT64_MAX};
    do {
        got = pread(fd, sectors + length, range.bytes - length, (off_t)(range.offset + length));
        length += got > 0 ? (size_t)got : 0;
    } while (length < range.bytes && (got > 0 || (got < 0 && errno == EINTR)));
    if (length < range.bytes) {
        s->finding = got < 0 ? judging_failure(j, errno) : FOUND_WRONG_SIZE;
        return;
    }
    for (size_t at = 0; at < range.bytes; at += SECTOR_BYTES) {
        struct pattern_origin found;
        const struct pattern_place expected = {.file = stamp_of(j->method, j->worker, range.file),
                                               .unit = (range.offset + at) / SECTOR_BYTES,
                                               .generation = PATTERN_ANY};
        enum corruption_kind kind =
            pattern_check(j->pattern, sectors + at, &expected, true, &found);
        uint64_t version = pattern_stamp_read(sectors + at).origin.place.generation;
        if (kind == CORRUPTION_NONE && version >= promised) {
            /* a boundary is aligned to the largest power of two that divides its offset */
            uint32_t boundary = (uint32_t)(at & -at);
            if (at > 0 && version != before && (s->torn_at == 0 || boundary < s->torn_at))
                s->torn_at = boundary;
            before = version;
            s->oldest = version < s->oldest ? version : s->oldest;
            s->newest = version > s->newest ? version : s->newest;
            s->is_kept_in_part = true;
        } else if (s->finding == FOUND_KEPT) {
            s->finding = kind == CORRUPTION_NONE ? FOUND_LOST : FOUND_FOREIGN;
            s->offset = range.offset + at;
            s->has_version = kind == CORRUPTION_NONE;
            s->found = version;
            if (kind == CORRUPTION_STALE && !pattern_is_of_run(j->pattern, &found))
                s->detail = "of another run";
            else if (kind != CORRUPTION_NONE)
                s->detail = corruption_kind_names[kind];
        }
    }
    if (s->finding == FOUND_LOST && s->is_kept_in_part)
        s->detail = "torn";
}

/* Turns what a range shows that was promised as a whole: one version, and none before that one. */
static void require_whole(struct sight *s, uint64_t promised)
{
    if (s->finding != FOUND_KEPT)
        return;
    s->has_version = true;
    s->found = s->oldest;
    if (s->oldest != s->newest)
        s->finding = FOUND_TORN;
    else if (s->oldest < promised)
        s->finding = FOUND_LOST;
}

/* range_check() of the first blocks of a file below the directory behind fd. */
static void file_check(struct judging *j, int fd, const char *name, uint64_t file, unsigned blocks,
                       uint64_t promised, struct sight *s)
{
    int opened = judging_open(j, fd, name);
    if (opened >= 0)
        range_check(j, opened, blocks_of(j->header, file, 0, blocks), promised, s);
    else
        *s = (struct sight){.finding = judging_failure(j, -opened)};
    descriptor_close(&opened);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Names of everything that a run makes in its private directory; --cleanup recognises them by their
 * form (storage/scratch.h):
 *
 *     fsync.0        the blocks of worker 0 for the method fsync
 *     fsync.0+3      the fourth file that this worker has appended to
 *     create.0/      the directory of worker 0 for the method create
 *         17.4       version 4 of unit 17
 *         17         a unit whose name stays the same
 *     rename.0b/     the second of two directories */
struct name {
    char text[64];
};

static struct name worker_name(unsigned method, unsigned worker, unsigned side)
{
    struct name name;
    int letters = methods[method].names.sides > 1;
    snprintf(name.text, sizeof name.text, "%s.%u%.*s", methods[method].name, worker, letters,
             &"ab"[side]);
    return name;
}

static struct name tail_name(unsigned method, unsigned worker, uint64_t number)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "%s.%u+%" PRIu64, methods[method].name, worker, number);
    return name;
}

static struct name unit_name(uint32_t unit)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "%" PRIu32, unit);
    return name;
}

static struct name version_name(uint32_t unit, uint64_t version)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "%" PRIu32 ".%" PRIu64, unit, version);
    return name;
}

/* The last promised version of a worker's unit; 0: nothing was promised. */
static uint64_t promised_of(const struct judging *j, uint32_t unit)
{
    return j->ledger->units[j->method][j->first + unit].version;
}

const char *const finding_names[FINDINGS] = {"kept",       "lost",       "foreign",
                                             "torn",       "missing",    "came_back",
                                             "wrong_size", "unreadable", "not_known"};

void findings_add(struct findings *f, const struct ledger *l, unsigned method, uint32_t unit,
                  const struct sight *s, const char *file)
{
    const struct promise *p = &l->units[method][unit];
    struct tally *const tallies[] = {&f->methods[method], &f->sum};
    bool promises = method_promises(method);
    struct loss loss = {.method = method,
                        .sight = *s,
                        .promised = p->version,
                        .before_end_us = l->last_us - p->time_us};
    enum finding *finding = &loss.sight.finding;
    /* a failed call may have left anything in its sectors, but nothing older than was promised */
    if (p->failed > p->version &&
        (*finding == FOUND_FOREIGN || *finding == FOUND_TORN || *finding == FOUND_UNREADABLE))
        *finding = FOUND_UNKNOWN;
    bool is_lost = *finding != FOUND_KEPT && *finding < FOUND_UNREADABLE;
    uint64_t bin = loss.before_end_us / (MILLION / 10);
    if (promises && bin < RECENT_BINS) {
        f->bins[RECENT_BINS - 1 - bin].units++;
        f->bins[RECENT_BINS - 1 - bin].lost += is_lost;
    }
    for (unsigned i = 0; i < 1U + promises; i++) {
        tallies[i]->units++;
        tallies[i]->lost += is_lost;
        tallies[i]->found[*finding]++;
        for (uint64_t second = loss.before_end_us / MILLION; second < LAST_SECONDS; second++) {
            tallies[i]->last[second].units++;
            tallies[i]->last[second].lost += is_lost;
        }
    }
    if (promises && (is_lost || *finding == FOUND_UNREADABLE) && f->loss_count < LOSSES_NAMED) {
        snprintf(loss.file, sizeof loss.file, "%s", file);
        f->losses[f->loss_count++] = loss;
    }
}

/* ---- blocks of one file ---------------------------------------------------------------------- */

/* Methods that overwrite blocks, and the canaries: the units of a worker are blocks of its file. A
 * block that is newer than promised, or mixes newer versions, was being written at the cut. */

/* A cycle of units that are written whole, one of each size, takes twice the largest size: a unit
 * of S bytes begins S bytes after its start, so it is aligned to that, as RWF_ATOMIC demands. */
static struct range unit_range(const struct header *h, unsigned method, uint32_t unit)
{
    const struct whole_sizes *whole = &h->whole;
    if (method != METHOD_ATOMIC && method != METHOD_PLAIN)
        return blocks_of(h, 0, unit, 1);
    uint32_t sizes = (uint32_t)__builtin_ctz(whole->most / whole->least) + 1;
    uint32_t size = whole->least << unit % sizes;
    return (struct range){0, (uint64_t)(unit / sizes) * 2 * whole->most + size, size};
}

/* Number of units in the file of a worker, without a tail. */
static uint32_t units_in_file(const struct header *h, unsigned method)
{
    if (method == METHOD_PLAIN)
        method = METHOD_ATOMIC;
    return methods[method].is_canary ? CANARY_BLOCKS
                                     : method_units_of_worker(h, method) - methods[method].tails;
}

/* Makes the worker's file with version 0 of all its units, and opens it for the method. */
static bool blocks_begin(struct work *w)
{
    const struct method *m = &methods[w->method];
    bool is_whole = w->method == METHOD_ATOMIC || w->method == METHOD_PLAIN;
    struct name name = worker_name(w->method, w->worker, 0);
    errno = EOPNOTSUPP;
    if (is_whole && !called(w, "promise of whole writes", w->header->whole.most > 0 ? 0 : -1))
        return false;
    int fd = work_create(w, w->directory_fd, name.text);
    bool is_made = fd >= 0;
    uint32_t units = units_in_file(w->header, w->method);
    for (uint32_t unit = 0, count; is_made && unit < units; unit += count) {
        count = is_whole ? 1 : MIN(units - unit, METHOD_BUFFER);
        struct range range = is_whole ? unit_range(w->header, w->method, unit)
                                      : blocks_of(w->header, 0, unit, count);
        is_made = range_write(w, fd, range, 0, 0);
    }
    is_made = is_made && sync_file(w, fd, w->first_sync);
    descriptor_close(&fd);
    if (is_made)
        w->fd = openat(w->directory_fd, name.text, O_RDWR | O_NOFOLLOW | O_CLOEXEC | m->open_flags);
    return is_made && called(w, "open", w->fd);
}

static void check_block(struct judging *j, int fd, uint32_t unit, uint64_t promised,
                        struct sight *s)
{
    struct overwrites *o = &j->findings->overwrites;
    range_check(j, fd, blocks_of(j->header, 0, unit, 1), promised, s);
    if (s->finding != FOUND_KEPT || s->newest <= promised)
        return;
    o->under_way++;
    o->torn += s->torn_at > 0;
    if (s->torn_at > 0 && (o->torn_at == 0 || s->torn_at < o->torn_at))
        o->torn_at = s->torn_at;
}

/* ---- a file that grows ----------------------------------------------------------------------- */

/* The unit after the blocks is a tail, which grows by one block with each version. When its file
 * has as many blocks as --units says, the next block goes to a new file, and the old file is
 * removed once the new one is durable. So the file with the promised version is sound up to that
 * version; or it is gone, and the first block of a later file is sound. A file that was begun just
 * before the cut may be empty: then the one before it is still there. */

/* Examines one of the tail's files, up to its block with number `blocks` - 1. */
static void check_tail_file(struct judging *j, uint64_t number, uint64_t blocks, struct sight *s)
{
    int fd = judging_open(j, j->directory_fd, tail_name(j->method, j->worker, number).text);
    *s = (struct sight){.finding = fd < 0 ? judging_failure(j, -fd) : FOUND_KEPT};
    for (uint64_t block = 0; s->finding == FOUND_KEPT && block < blocks; block++)
        range_check(j, fd, blocks_of(j->header, number + 1, block, 1),
                    number * j->header->units + block + 1, s);
    descriptor_close(&fd);
}

static void judge_tail(struct judging *j)
{
    uint32_t units = j->header->units;
    uint64_t promised = promised_of(j, units);
    uint64_t number = (promised - 1) / units;
    uint64_t shown = number; /* the file that shows the state */
    struct sight sight;
    if (promised == 0)
        return;
    check_tail_file(j, number, (promised - 1) % units + 1, &sight);
    bool is_gone = sight.finding == FOUND_MISSING; /* a later file may have replaced it */
    DIR *all = is_gone ? directory_list(j->directory_fd, ".") : NULL;
    const struct dirent *entry;
    while (all && sight.finding != FOUND_KEPT && (errno = 0, entry = readdir(all))) {
        struct sight other;
        uint64_t later;
        const char *plus = strchr(entry->d_name, '+');
        if (!plus || sscanf(plus, "+%" SCNu64, &later) != 1 || later <= number ||
            strcmp(tail_name(j->method, j->worker, later).text, entry->d_name) != 0)
            continue;
        check_tail_file(j, later, 1, &other);
        if (other.finding == FOUND_KEPT || sight.finding == FOUND_MISSING) {
            sight = other;
            shown = later;
        }
    }
    if (is_gone && sight.finding != FOUND_KEPT && errno != 0)
        sight.finding = judging_failure(j, errno);
    if (all)
        closedir(all);
    findings_add(j->findings, j->ledger, j->method, j->first + units, &sight,
                 tail_name(j->method, j->worker, shown).text);
}

/* Judges all units of a worker by the method's check(), in its file; or in its directory, where a
 * unit has a name that never changes, "17". */
static void units_judge(struct judging *j)
{
    const struct method *m = &methods[j->method];
    bool are_names = m->names.sides > 0;
    char file[FILE_TEXT];
    struct name name = worker_name(j->method, j->worker, 0);
    int fd = are_names ? directory_open(j->directory_fd, name.text)
                       : judging_open(j, j->directory_fd, name.text);
    snprintf(file, sizeof file, "%s", name.text);
    for (uint32_t unit = 0; unit < units_in_file(j->header, j->method); unit++) {
        struct sight sight;
        uint64_t promised = promised_of(j, unit);
        if (promised == 0)
            continue;
        if (fd >= 0)
            m->check(j, fd, unit, promised, &sight);
        else
            sight = (struct sight){.finding = judging_failure(j, -fd)};
        if (are_names)
            snprintf(file, sizeof file, "%s/%u", name.text, unit);
        findings_add(j->findings, j->ledger, j->method, j->first + unit, &sight, file);
    }
    descriptor_close(&fd);
    if (m->tails > 0)
        judge_tail(j);
}

/* Overwrites w->batch blocks, or appends to the tail, and calls the method's `sync`. */
static bool blocks_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    const struct method *m = &methods[w->method];
    if (unit == w->header->units) {
        uint64_t number = (versions[0] - 1) / w->header->units;
        uint64_t block = (versions[0] - 1) % w->header->units;
        if (block == 0) { /* the first of the next file, whose name must not exist yet */
            descriptor_close(&w->other_fd);
            w->other_fd =
                work_create(w, w->directory_fd, tail_name(w->method, w->worker, number).text);
            if (w->other_fd < 0)
                return false;
        }
        if (!range_write(w, w->other_fd, blocks_of(w->header, number + 1, block, 1), versions[0],
                         0) ||
            !called(w, m->name, sync_again(w->other_fd, m->sync)))
            return false;
        if (block > 0)
            return true;
        /* once the name of the new file is durable, the file before it goes */
        return sync_directory(w, w->directory_fd) &&
               (number == 0 ||
                called(w, "unlink",
                       unlinkat(w->directory_fd, tail_name(w->method, w->worker, number - 1).text,
                                0)));
    }
    for (uint32_t i = 0; i < w->batch; i++)
        if (!range_write(w, w->fd, unit_range(w->header, w->method, unit + i), versions[i],
                         m->write_flags))
            return false;
    return !m->sync || called(w, m->name, sync_again(w->fd, m->sync));
}

/* ---- a mapping; a write and the fsync linked to it ------------------------------------------- */

static bool msync_begin(struct work *w)
{
    if (!blocks_begin(w) ||
        !called(w, "memfd_create", w->other_fd = memfd_create("block", MFD_CLOEXEC)))
        return false;
    size_t bytes = blocks_of(w->header, 0, 0, w->header->units).bytes;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
    w->own = map == MAP_FAILED ? NULL : map;
    return called(w, "mmap", w->own ? 0 : -1);
}

/* Builds the block in a memory file, and reads it into the mapping from there: where the storage
 * fails, a store would end the program with SIGBUS, but read(2) fails with EFAULT. */
static bool msync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct range range = blocks_of(w->header, 0, unit, 1);
    size_t bytes = range.bytes;
    char *to = (char *)w->own + range.offset;
    size_t into_page = range.offset % (size_t)sysconf(_SC_PAGESIZE);
    fill_buffer(w, range, versions[0]);
    if (pwrite(w->other_fd, w->buffer, bytes, 0) != (ssize_t)bytes)
        return called(w, "change of the mapping", -1);
    ssize_t got = pread(w->other_fd, to, bytes, 0);
    if (got >= 0 || errno == EFAULT)
        errno = EIO;
    return called(w, "change of the mapping", got == (ssize_t)bytes ? 0 : -1) &&
           called(w, "msync", msync(to - into_page, bytes + into_page, MS_SYNC));
}

static void msync_end(struct work *w)
{
    if (w->own)
        munmap(w->own, blocks_of(w->header, 0, 0, w->header->units).bytes);
}

#ifdef HAVE_LIBURING

static bool uring_fsync_begin(struct work *w)
{
    if (!blocks_begin(w))
        return false;
    struct io_uring *ring = calloc(1, sizeof *ring);
    w->call = "io_uring_setup";
    w->error = ring ? -io_uring_queue_init(2, ring, 0) : ENOMEM;
    if (w->error == 0)
        w->own = ring;
    else
        free(ring);
    return w->error == 0;
}

static bool uring_fsync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct io_uring *ring = w->own;
    struct range range = blocks_of(w->header, 0, unit, 1);
    fill_buffer(w, range, versions[0]);
    w->call = "io_uring write and fsync";
    struct io_uring_sqe *write = io_uring_get_sqe(ring);
    struct io_uring_sqe *sync = io_uring_get_sqe(ring);
    w->error = EBUSY;
    if (!write || !sync)
        return false;
    io_uring_prep_write(write, w->fd, w->buffer, (unsigned)range.bytes, range.offset);
    io_uring_sqe_set_flags(write, IOSQE_IO_LINK);
    io_uring_prep_fsync(sync, w->fd, 0);
    io_uring_sqe_set_data64(write, range.bytes); /* the right result: a full write */
    io_uring_sqe_set_data64(sync, 0);
    int submitted = io_uring_submit(ring);
    w->error = submitted == 2 ? 0 : submitted < 0 ? -submitted : EIO;
    for (int left = 2; left > 0 && submitted == 2; left--) {
        struct io_uring_cqe *cqe;
        int waited;
        do {
            waited = io_uring_wait_cqe(ring, &cqe);
        } while (waited == -EINTR);
        if (waited != 0) {
            w->error = -waited;
            return false;
        }
        if (cqe->res != (int)io_uring_cqe_get_data64(cqe) &&
            (w->error == 0 || w->error == ECANCELED))
            w->error = cqe->res < 0 ? -cqe->res : EIO;
        io_uring_cqe_seen(ring, cqe);
    }
    return w->error == 0;
}

static void uring_fsync_end(struct work *w)
{
    if (w->own)
        io_uring_queue_exit(w->own);
    free(w->own);
}

#endif

/* ---- canaries, and writes that are promised whole -------------------------------------------- */

/* The canaries make nothing durable. They number their writes, which go round in turn: those of
 * `plain` the units, the others groups of blocks. */
static bool canary_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    bool is_plain = w->method == METHOD_PLAIN;
    uint32_t places = is_plain ? units_in_file(w->header, w->method) : CANARY_GROUPS;
    uint64_t before = versions[0] - 1;
    uint32_t place = (uint32_t)(before % places);
    (void)unit;
    return range_write(w, w->fd,
                       is_plain ? unit_range(w->header, w->method, place)
                                : blocks_of(w->header, 0, place * CANARY_BATCH, CANARY_BATCH),
                       before / places + 1, 0);
}

/* `atomic` overwrites units of all sizes that are promised whole, in turn, each by one direct write
 * with RWF_ATOMIC. A unit of which a cut left parts of two versions is torn. The canary `plain`
 * does the same without the flag and syncs: it shows whether the cut tore anything at all. */
#define WHOLE_UNITS 24

struct whole_sizes whole_sizes_of(int directory_fd)
{
    struct portable_statx facts = {0};
    struct whole_sizes sizes = {0};
    int fd = openat(directory_fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0 && portable_statx(fd, PORTABLE_STATX_WRITE_ATOMIC, &facts) &&
        (facts.attributes & PORTABLE_STATX_ATTR_ATOMIC) && facts.atomic_write_max > 0)
        sizes = (struct whole_sizes){facts.atomic_write_min,
                                     MIN(facts.atomic_write_max, MAX_HEADER_BLOCK)};
    descriptor_close(&fd);
    return sizes;
}

struct units_text whole_sizes_words(const struct whole_sizes *sizes)
{
    struct units_text words = {""};
    char *to = words.text;
    for (uint32_t size = sizes->least;; size = sizes->most) {
        to += size < MIB ? sprintf(to, "%g KiB", size / 1024.0)
                         : sprintf(to, "%u MiB", (unsigned)(size / MIB));
        if (size == sizes->most)
            return words;
        to += sprintf(to, " to ");
    }
}

static void atomic_check(struct judging *j, int fd, uint32_t unit, uint64_t promised,
                         struct sight *s)
{
    range_check(j, fd, unit_range(j->header, j->method, unit), 0, s);
    if (s->finding == FOUND_FOREIGN && s->is_kept_in_part)
        s->finding = FOUND_TORN;
    require_whole(s, promised);
}

/* Counts the blocks of a canary that are older than the last write to them, or torn, as a cut is
 * expected to leave some. Unreadable and foreign blocks show nothing about a cut. */
static void canary_judge(struct judging *j)
{
    struct tally *t = &j->findings->methods[j->method];
    uint64_t writes = j->ledger->units[j->method]->version;
    uint64_t durable = j->method == METHOD_CACHED ? j->ledger->cached_from : 0;
    int fd = judging_open(j, j->directory_fd, worker_name(j->method, j->worker, 0).text);
    for (uint32_t unit = 0; fd >= 0 && unit < units_in_file(j->header, j->method); unit++) {
        struct sight sight;
        uint64_t version = canary_version(writes, unit);
        if (j->method == METHOD_PLAIN)
            atomic_check(j, fd, unit, 0, &sight);
        else if (version > canary_version(durable, unit))
            range_check(j, fd, blocks_of(j->header, 0, unit, 1), version, &sight);
        else
            continue;
        t->found[sight.finding]++;
    }
    t->lost = t->found[FOUND_LOST];
    t->units = t->found[FOUND_KEPT] + t->lost + t->found[FOUND_TORN];
    descriptor_close(&fd);
}

/* ---- names: writing -------------------------------------------------------------------------- */

/* The methods whose units are names, none of which is used twice: a worker has one or two
 * directories, in which version 4 of unit 17 is "17.4", or "17" where its name never changes. */

/* Makes a file with `version` in all its blocks, and syncs it with `sync` (NULL: not at all). */
static bool make_file(struct work *w, const char *name, uint32_t unit, unsigned blocks,
                      uint64_t version, int (*sync)(int fd))
{
    int fd = work_create(w, w->fd, name);
    bool is_made = fd >= 0 &&
                   range_write(w, fd, blocks_of(w->header, unit + 1, 0, blocks), version, 0) &&
                   sync_file(w, fd, sync);
    descriptor_close(&fd);
    return is_made;
}

/* Removes the name of version - 2 of a unit before the unit gets `version`: nothing is promised
 * about that name any more. `flags` are those of unlinkat(2). */
static bool forget_name(struct work *w, uint32_t unit, uint64_t version, int flags)
{
    return version <= 2 || called(w, flags ? "rmdir" : "unlink",
                                  unlinkat(w->fd, version_name(unit, version - 2).text, flags));
}

/* Makes a worker's directories, and each unit's first file: where names move between directories
 * that of version 0, otherwise the one that `link` links to and `replace` renames over. */
static bool names_begin(struct work *w)
{
    const struct names_rule *rule = &methods[w->method].names;
    for (unsigned side = 0; side < rule->sides; side++) {
        struct name name = worker_name(w->method, w->worker, side);
        int fd = work_make_directory(w, w->directory_fd, name.text);
        *(side == 0 ? &w->fd : &w->other_fd) = fd;
        if (fd < 0)
            return false;
    }
    for (uint32_t unit = 0; rule->first_blocks > 0 && unit < w->header->units; unit++) {
        struct name name = rule->sides > 1 ? version_name(unit, 0) : unit_name(unit);
        if (!make_file(w, name.text, unit, rule->first_blocks, 0, w->first_sync))
            return false;
    }
    return true;
}

/* Syncs a new file, but not its directory; `check` counts those that have kept their names. */
static bool new_name_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return forget_name(w, unit, versions[0], 0) &&
           make_file(w, version_name(unit, versions[0]).text, unit, 1, versions[0], fsync);
}

static bool create_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    return new_name_step(w, unit, versions) && sync_directory(w, w->fd);
}

/* Makes the name durable before it removes it: otherwise no cut could bring the name back. */
static bool unlink_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct name name = version_name(unit, versions[0]);
    return make_file(w, name.text, unit, 1, versions[0], NULL) && sync_directory(w, w->fd) &&
           called(w, "unlink", unlinkat(w->fd, name.text, 0)) && sync_directory(w, w->fd);
}

static bool rename_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct name from = version_name(unit, versions[0] - 1);
    struct name to = version_name(unit, versions[0]);
    bool is_odd = versions[0] % 2;
    int from_fd = is_odd ? w->fd : w->other_fd;
    int to_fd = is_odd ? w->other_fd : w->fd;
    return called(w, "rename", renameat(from_fd, from.text, to_fd, to.text)) &&
           sync_directory(w, to_fd) && sync_directory(w, from_fd);
}

static bool link_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct name name = version_name(unit, versions[0]);
    int fd = -1;
    bool is_made =
        forget_name(w, unit, versions[0], 0) &&
        called(w, "link", linkat(w->fd, unit_name(unit).text, w->fd, name.text, 0)) &&
        called(w, "open", fd = openat(w->fd, name.text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) &&
        sync_file(w, fd, fsync) && sync_directory(w, w->fd);
    descriptor_close(&fd);
    return is_made;
}

static bool mkdir_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    int fd = -1;
    bool is_made =
        forget_name(w, unit, versions[0], AT_REMOVEDIR) &&
        (fd = work_make_directory(w, w->fd, version_name(unit, versions[0]).text)) >= 0 &&
        sync_directory(w, fd) && sync_directory(w, w->fd);
    descriptor_close(&fd);
    return is_made;
}

/* Number of blocks in a file: several, so that `check` notices one with only half of a version. */
#define REPLACE_BLOCKS 4

static bool replace_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct name aside = version_name(unit, versions[0]);
    return make_file(w, aside.text, unit, REPLACE_BLOCKS, versions[0], fsync) &&
           called(w, "rename", renameat(w->fd, aside.text, w->fd, unit_name(unit).text)) &&
           sync_directory(w, w->fd);
}

/* Files of even units grow from size 0, so their size is their version. Files of odd units shrink
 * from SPAN, so SPAN minus their size is their version. No file has blocks. */
#define SPAN (UINT64_C(1) << 26)

static bool set_size(struct work *w, int fd, uint32_t unit, uint64_t version, int (*sync)(int fd))
{
    uint64_t size = unit % 2 ? SPAN - version : version;
    return called(w, "truncate", ftruncate(fd, (off_t)size)) && sync_file(w, fd, sync);
}

static bool truncate_begin(struct work *w)
{
    bool is_made = names_begin(w);
    for (uint32_t unit = 0; is_made && unit < w->header->units; unit++) {
        int fd = work_create(w, w->fd, unit_name(unit).text);
        is_made = fd >= 0 && set_size(w, fd, unit, 0, w->first_sync);
        descriptor_close(&fd);
    }
    return is_made;
}

static bool truncate_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    errno = EFBIG;
    if (versions[0] >= SPAN)
        return called(w, "truncate", -1);
    int fd = openat(w->fd, unit_name(unit).text, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool is_set = called(w, "open", fd) && set_size(w, fd, unit, versions[0], fsync);
    descriptor_close(&fd);
    return is_set;
}

/* ---- names: judging -------------------------------------------------------------------------- */

/* The versions of a unit whose names the directories have. */
struct sightings {
    /* a version older than the promised one exists; with is_absent, the promised one counts, too */
    bool has_old;
    uint64_t old;    /* one of these versions */
    bool has_wanted; /* the promised version or a later one is sound: nothing else matters then */
    bool is_unreadable; /* one of these cannot be read */
    bool has_exact;     /* the promised version exists, in the state `exact` */
    struct sight exact;
};

static void names_judge(struct judging *j)
{
    const struct names_rule *rule = &methods[j->method].names;
    bool wants_none = rule->is_absent || rule->leaves_none;
    enum finding listing = FOUND_KEPT; /* or a directory is missing or unreadable */
    struct name directory;
    struct sightings *all_seen = calloc(j->header->units, sizeof *all_seen);
    if (!all_seen) {
        j->failure = ENOMEM;
        return;
    }
    for (unsigned side = 0; listing != FOUND_MISSING && side < rule->sides; side++) {
        directory = worker_name(j->method, j->worker, side);
        DIR *all = directory_list(j->directory_fd, directory.text);
        const struct dirent *entry;
        while (all && (errno = 0, entry = readdir(all))) {
            struct sight sight = {.finding = FOUND_KEPT};
            uint32_t unit;
            uint64_t version;
            if (sscanf(entry->d_name, "%" SCNu32 ".%" SCNu64, &unit, &version) != 2 ||
                strcmp(version_name(unit, version).text, entry->d_name) != 0 ||
                unit >= j->header->units || version % rule->sides != side)
                continue;
            struct sightings *seen = &all_seen[unit];
            uint64_t promised = promised_of(j, unit);
            if (version < promised || (rule->is_absent && version == promised)) {
                seen->has_old = true;
                seen->old = version;
                continue;
            }
            if (seen->has_wanted || rule->is_absent)
                continue;
            if (rule->has_contents)
                file_check(j, dirfd(all), entry->d_name, unit + 1, 1,
                           rule->has_version ? version : 0, &sight);
            seen->has_wanted |= sight.finding == FOUND_KEPT;
            seen->is_unreadable |= sight.finding == FOUND_UNREADABLE;
            if (version == promised) {
                seen->has_exact = true;
                seen->exact = sight;
            }
        }
        if (errno != 0)
            listing = judging_failure(j, errno);
        if (all)
            closedir(all);
    }
    for (uint32_t unit = 0; unit < j->header->units; unit++) {
        char file[FILE_TEXT];
        const struct sightings *seen = &all_seen[unit];
        uint64_t promised = promised_of(j, unit);
        uint64_t version = promised; /* whose name shows the state */
        struct sight sight = seen->exact;
        if (promised == 0)
            continue;
        if (listing == FOUND_MISSING) {
            sight.finding = FOUND_MISSING;
        } else if (seen->has_old && wants_none) {
            sight.finding = FOUND_CAME_BACK;
            sight.has_version = true;
            sight.found = version = seen->old;
        } else if (listing == FOUND_UNREADABLE ? wants_none || !seen->has_wanted
                                               : seen->is_unreadable && !seen->has_wanted) {
            sight.finding = FOUND_UNREADABLE;
        } else if (rule->is_absent || seen->has_wanted) {
            sight.finding = FOUND_KEPT;
        } else if (!seen->has_exact) {
            sight.finding = FOUND_MISSING;
        }
        snprintf(file, sizeof file, "%s/%s", directory.text, version_name(unit, version).text);
        findings_add(j->findings, j->ledger, j->method, j->first + unit, &sight, file);
    }
    free(all_seen);
}

/* A file may have any version from the promised one on, but all its blocks must have the same. */
static void replace_check(struct judging *j, int directory_fd, uint32_t unit, uint64_t promised,
                          struct sight *s)
{
    file_check(j, directory_fd, unit_name(unit).text, unit + 1, REPLACE_BLOCKS, 0, s);
    require_whole(s, promised);
}

static void truncate_check(struct judging *j, int directory_fd, uint32_t unit, uint64_t promised,
                           struct sight *s)
{
    struct stat st;
    *s = (struct sight){.finding = FOUND_WRONG_SIZE};
    if (fstatat(directory_fd, unit_name(unit).text, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        s->finding = judging_failure(j, errno);
        return;
    }
    uint64_t size = (uint64_t)st.st_size;
    if (size > SPAN)
        return;
    s->has_version = true;
    s->found = unit % 2 ? SPAN - size : size;
    s->finding = s->found >= promised ? FOUND_KEPT : FOUND_WRONG_SIZE;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define METHOD(word, begins, steps, judges)                                                        \
    .name = word, .begin = begins, .step = steps, .judge = judges
#define BLOCKS(word)       METHOD(word, blocks_begin, blocks_step, units_judge), .check = check_block
#define CANARY(word)       METHOD(word, blocks_begin, canary_step, canary_judge), .is_canary = true
#define NAMES(word, steps) METHOD(word, names_begin, steps, names_judge)

const struct method methods[METHODS] = {
    [METHOD_CACHED] = {CANARY("cached"), .promise = "a buffered overwrite: nothing is promised"},
    [METHOD_DRIVE] = {CANARY("drive"), .open_flags = O_DIRECT,
                      .promise = "an O_DIRECT overwrite without a flush: nothing is promised"},
    {BLOCKS("fsync"), .tails = 1, .sync = fsync,
     .promise = "a block overwritten, or appended with the file's size"},
    {BLOCKS("fdatasync"), .tails = 1, .sync = fdatasync,
     .promise = "a block overwritten, or appended with the file's size"},
    {BLOCKS("dsync"), .open_flags = O_DSYNC, .promise = "one whole write with O_DSYNC"},
    {BLOCKS("rwf_dsync"), .write_flags = RWF_DSYNC, .promise = "one whole write with RWF_DSYNC"},
    {BLOCKS("direct_dsync"), .open_flags = O_DIRECT | O_DSYNC,
     .promise = "one whole write with O_DIRECT and O_DSYNC"},
    {.name = "uring_fsync",
     .check = check_block,
     .judge = units_judge,
#ifdef HAVE_LIBURING
     .begin = uring_fsync_begin,
     .step = uring_fsync_step,
     .end = uring_fsync_end,
#endif
     .promise = "a linked write and fsync of io_uring"},
    {METHOD("msync", msync_begin, msync_step, units_judge), .check = check_block, .end = msync_end,
     .promise = "a page of a shared mapping, with MS_SYNC"},
    [METHOD_SYNCFS] = {BLOCKS("syncfs"), .sync = syncfs, .batch = 8, .interval_ns = BILLION,
                       .promise = "everything written before"},
    {NAMES("create", create_step), .names = {.sides = 1, .has_contents = true, .has_version = true},
     .promise = "a new file and its directory synced"},
    {METHOD("replace", names_begin, replace_step, units_judge), .check = replace_check,
     .names = {.sides = 1, .first_blocks = REPLACE_BLOCKS},
     .promise = "a synced file renamed over an old one, and the directory synced"},
    {NAMES("unlink", unlink_step), .names = {.sides = 1, .is_absent = true},
     .promise = "a name removed, and the directory synced"},
    {NAMES("rename", rename_step),
     .names = {.sides = 2, .first_blocks = 1, .leaves_none = true, .has_contents = true},
     .promise = "a name moved, and both directories synced"},
    {NAMES("link", link_step), .names = {.sides = 1, .first_blocks = 1, .has_contents = true},
     .promise = "another name, file and directory synced"},
    {NAMES("mkdir", mkdir_step), .names = {.sides = 1},
     .promise = "a new directory, and both directories synced"},
    {METHOD("truncate", truncate_begin, truncate_step, units_judge), .check = truncate_check,
     .names = {.sides = 1}, .promise = "a new size, and the file synced"},
    [METHOD_NEW_NAME] = {NAMES("new_name", new_name_step), .names = {.sides = 1},
                         .promise =
                             "a new file synced, and not its directory: nothing is promised"},
    [METHOD_ATOMIC] = {METHOD("atomic", blocks_begin, blocks_step, units_judge),
                       .check = atomic_check, .units_most = WHOLE_UNITS,
                       .open_flags = O_DIRECT | O_DSYNC, .write_flags = RWF_ATOMIC,
                       .promise =
                           "one write of each size that is promised whole, with RWF_ATOMIC and "
                           "O_DSYNC: the old or the new version"},
    [METHOD_PLAIN] = {CANARY("plain"), .open_flags = O_DIRECT,
                      .promise = "the same writes without RWF_ATOMIC: nothing is promised"},
};

bool method_find(const char *name, unsigned *method)
{
    for (*method = 0; *method < METHODS; ++*method)
        if (strcmp(methods[*method].name, name) == 0)
            return true;
    return false;
}

const char *const method_words[] = {
    "fsync",    "fdatasync", "dsync",   "rwf_dsync", "direct_dsync", "uring_fsync", "msync",
    "syncfs",   "create",    "replace", "unlink",    "rename",       "link",        "mkdir",
    "truncate", "atomic",    NULL};
_Static_assert(sizeof method_words / sizeof *method_words - 1 == METHODS - 4,
               "a word for each method but the canaries cached, drive and plain, and new_name");

uint64_t method_largest_file(const struct header *h)
{
    uint64_t largest = 0;
    for (unsigned method = 0; method < METHODS; method++) {
        if (!(h->methods & 1U << method) || (method == METHOD_ATOMIC && h->whole.most == 0))
            continue;
        struct range last = unit_range(h, method, units_in_file(h, method) - 1);
        uint64_t end = methods[method].begin == truncate_begin ? SPAN : last.offset + last.bytes;
        largest = end > largest ? end : largest;
    }
    return largest;
}

void method_print_all(FILE *out)
{
    for (unsigned i = 0; i < METHODS; i++)
        fprintf(out, "%-13s %s\n", methods[i].name, methods[i].promise);
}
