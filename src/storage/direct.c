// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/direct.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "storage/page_cache.h"
#include "storage/scratch.h"
#include "util/descriptor.h"
#include "util/portable.h"
#include "util/rng.h"

/* "Yes" takes this share of the bytes to have reached the devices; FUSE with less of them: "no". */
#define REACHED_PERCENT      90
#define FUSE_REACHED_PERCENT 50

#define NOT_TRIED "it could not be tried: %s"

struct transfer {
    int code;      /* errno if it failed, otherwise 0 */
    bool is_told;  /* its page was as it should be before, and mincore could say what it is now */
    bool has_page; /* the page is in the cache */
    uint64_t reached; /* percentage of the bytes that the devices and the drives have counted */
};

static const char *const verbs[WAYS] = {[WAY_READ] = "reads", [WAY_WRITTEN] = "writes"};

/* Bytes that have reached both the devices and the drives below them. */
static uint64_t reached(const struct device_counters *c, enum way way)
{
    uint64_t devices = way == WAY_READ ? c->read_bytes : c->written_bytes;
    uint64_t drives = way == WAY_READ ? c->drive_read_bytes : c->drive_written_bytes;
    return MIN(devices, drives);
}

/* Moves the block once. Before a write its page is brought into the cache, and mapped: after a
 * buffered write, btrfs drops a page that is not. If the storage fails, a touch of the page would
 * kill the process, and MAP_POPULATE never ends; the system call fails. */
static struct transfer move_block(int fd, off_t place, void *buffer, size_t bytes, enum way way,
                                  const struct device_set *devices)
{
    struct transfer done = {.is_told = false};
    struct device_counters before, after;
    unsigned char answers[2] = {0}, first;
    void *page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, place);
    struct iovec from = {page, 1}, to = {&first, 1};
    if (page != MAP_FAILED && way == WAY_WRITTEN)
        (void)process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    bool is_told = page != MAP_FAILED && mincore(page, 1, &answers[0]) == 0;
    device_read(devices, &before);
    ssize_t moved =
        way == WAY_READ ? pread(fd, buffer, bytes, place) : pwrite(fd, buffer, bytes, place);
    done.code = moved < 0 ? errno : moved < (ssize_t)bytes ? EIO : 0;
    device_read(devices, &after);
    is_told = is_told && mincore(page, 1, &answers[1]) == 0;
    done.is_told = is_told && (answers[0] & 1) == (way == WAY_WRITTEN);
    done.has_page = answers[1] & 1;
    if (before.known && after.known)
        done.reached = (reached(&after, way) - reached(&before, way)) * 100 / bytes;
    if (page != MAP_FAILED)
        munmap(page, bytes);
    return done;
}

/* ---- what follows from it -------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static void say(struct direct *d, enum way way,
                                                      enum direct_seen seen, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    d->ways[way].seen = seen;
    vsnprintf(d->ways[way].reason, DIRECT_REASON, format, arguments);
    va_end(arguments);
}

/* Looks for a loop device that is not direct, or of which nothing is known. True: it has spoken. */
static bool judge_loops(struct direct *d, enum way way, const struct device_set *devices)
{
    for (unsigned i = 0; i < devices->count; i++) {
        const struct device *loop = &devices->devices[i];
        if (!*loop->below)
            continue;
        if (filesystem_is_memory(loop->below))
            say(d, way, DIRECT_NO, "the file of %s is in memory", loop->name);
        else if (loop->is_cached)
            say(d, way, DIRECT_NO, "%s has its file in the page cache", loop->name);
        else if (!loop->stacked || strcmp(loop->below, "btrfs") == 0)
            say(d, way, DIRECT_NOT_KNOWN, "nothing shows what %s does below %s", loop->below,
                loop->name);
        else
            continue;
        return true;
    }
    return false;
}

static void judge(struct direct *d, enum way way, const struct transfer *t, const char *type,
                  const struct device_set *devices, const char *below)
{
    bool is_fuse = strncmp(type, "fuse", strlen("fuse")) == 0;
    bool is_local = !is_fuse && (devices->count > 0 ||
                                 word_list_has("tmpfs,ramfs,overlay,ecryptfs", type, strlen(type)));
    if (t->code != 0)
        say(d, way, DIRECT_NOT_KNOWN, NOT_TRIED, portable_reason(t->code));
    else if (is_fuse && filesystem_is_memory(below))
        say(d, way, DIRECT_NO, "%s has its files in memory", type);
    else if (is_fuse && devices->count > 0 && t->reached < FUSE_REACHED_PERCENT)
        say(d, way, DIRECT_NO, "most of the bytes that %s took did not reach the device below it",
            type);
    else if (!is_local)
        say(d, way, DIRECT_NOT_KNOWN, "nothing shows what %s does with O_DIRECT",
            *type ? type : "this filesystem");
    else if (filesystem_is_memory(type))
        say(d, way, DIRECT_NO, "%s keeps everything in memory", type);
    else if (t->is_told && t->has_page)
        say(d, way, DIRECT_NO, "%s buffered the %s", type, verbs[way]);
    else if (judge_loops(d, way, devices))
        return;
    else if (!t->is_told)
        say(d, way, DIRECT_NOT_KNOWN, "nothing shows what is in the page cache");
    else if (t->reached < REACHED_PERCENT)
        say(d, way, DIRECT_NOT_KNOWN, "too few of the %s reached the device", verbs[way]);
    else
        say(d, way, DIRECT_YES,
            way == WAY_READ ? "a direct read left no page in the cache"
                            : "a direct write dropped the page from the cache");
}

void direct_see(struct direct *d, int fd, uint64_t place, const struct sources *s)
{
    struct device_set devices = s->devices;
    struct mount_info below = {.root = s->mount.root};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t alignment = scratch_direct_alignment(fd);
    size_t bytes = MAX(alignment, page);
    uint64_t *buffer = aligned_alloc(bytes, bytes);
    struct transfer transfers[WAYS] = {{.code = ENOMEM}, {.code = ENOMEM}};
    struct residency left;
    struct rng rng;
    off_t at = (off_t)(place / bytes * bytes);
    bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    if (buffer) {
        if (devices.count == 0 && *s->mount.source == '/') { /* bindfs has its directory there */
            mount_info_of_path(&below, s->mount.source);
            device_find(&devices, &below);
        }
        rng_init(&rng, 0, 0); /* what can be compressed is read another way */
        for (size_t i = 0; i < bytes / sizeof *buffer; i++)
            buffer[i] = rng_next(&rng);
        if (writes && pwrite(fd, buffer, bytes, at) >= 0) /* the next one finds it in its place */
            transfers[WAY_WRITTEN] = move_block(fd, at, buffer, bytes, WAY_WRITTEN, &devices);
        if (transfers[WAY_WRITTEN].has_page && !filesystem_is_memory(s->filesystem))
            (void)page_cache_evict(fd, "", &left, NULL);
        transfers[WAY_READ] = move_block(fd, at, buffer, bytes, WAY_READ, &devices);
    }
    free(buffer);
    for (enum way way = 0; way < WAYS; way++)
        judge(d, way, &transfers[way], s->filesystem, &devices, below.filesystem);
    const struct transfer *write = &transfers[WAY_WRITTEN];
    d->reaches_devices = d->ways[WAY_WRITTEN].seen != DIRECT_NO && write->code == 0 &&
                         write->is_told && !write->has_page && write->reached >= REACHED_PERCENT;
}

void direct_see_in(struct direct *d, int directory_fd, const struct sources *s)
{
    int fd = openat(directory_fd, ".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
    *d = (struct direct){.reaches_devices = false};
    for (enum way way = 0; fd < 0 && way < WAYS; way++)
        say(d, way, DIRECT_NOT_KNOWN, NOT_TRIED, portable_reason(errno));
    if (fd >= 0)
        direct_see(d, fd, 0, s);
    descriptor_close(&fd);
}

struct direct_use direct_use_of(const struct direct *d, bool reads, bool writes)
{
    const struct direct_use *read = &d->ways[WAY_READ];
    const struct direct_use *written = &d->ways[WAY_WRITTEN];
    bool reads_count = read->seen == DIRECT_NO || written->seen == DIRECT_YES;
    struct direct_use use = reads && (!writes || reads_count) ? *read : *written;
    use.asked = true;
    return use;
}
