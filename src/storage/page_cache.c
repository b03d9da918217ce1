// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/page_cache.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "io/file.h"
#include "measure/clock.h"
#include "sys/stop.h"
#include "util/partition.h"

/* ---- residency ------------------------------------------------------------------------------- */

/* For headers from before Linux 6.5. Its number is the same on every architecture but alpha. */
#if !defined SYS_cachestat && !defined __alpha__
#define SYS_cachestat 451
#endif
struct page_range {
    uint64_t offset, length;
};
struct page_counts {
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static const struct residency unknown = {.known = false};

static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct residency of_pages(uint64_t pages, uint64_t bytes)
{
    /* the last page may extend past the end of the file */
    uint64_t resident = pages * page_bytes();
    return (struct residency){.known = true, .bytes = MIN(resident, bytes)};
}

/* Number of bytes that are mapped at a time: any machine can, and the answer fits on the stack. */
#define PIECE_BYTES   (64 << 20)
#define SMALLEST_PAGE 4096
#define PIECE_ANSWERS (PIECE_BYTES / SMALLEST_PAGE)

/* In a larger file, this number of pieces, spread evenly, stands for all. 16 GiB take 50 ms. */
#define MAX_PIECES 256

struct residency page_cache_residency_by_mincore(int fd, uint64_t bytes)
{
    uint64_t pieces = bytes / PIECE_BYTES + (bytes % PIECE_BYTES > 0);
    uint64_t looked_at = MIN(pieces, MAX_PIECES);
    unsigned char answers[PIECE_ANSWERS];
    uint64_t pages = 0;
    for (uint64_t i = 0; i < looked_at; i++) {
        uint64_t offset = partition_of(pieces, looked_at, i).first * PIECE_BYTES;
        uint64_t rest = bytes - offset;
        size_t length = rest < PIECE_BYTES ? (size_t)rest : PIECE_BYTES;
        void *piece = stop_requested()
                          ? MAP_FAILED
                          : mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)offset);
        if (piece == MAP_FAILED)
            return unknown;
        bool told = mincore(piece, length, answers) == 0;
        size_t count = told ? (length + page_bytes() - 1) / page_bytes() : 0;
        for (size_t k = 0; k < count; k++)
            pages += answers[k] & 1; /* the other bits are reserved */
        munmap(piece, length);
        if (!told)
            return unknown;
    }
    if (looked_at < pieces)
        pages = (uint64_t)((double)pages * (double)pieces / (double)looked_at);
    return of_pages(pages, bytes);
}

struct residency page_cache_residency(int fd, uint64_t bytes)
{
    struct statfs fs;
    if (bytes == 0) /* cachestat(2) would take 0 for the whole file */
        return of_pages(0, 0);
    /* The file's pages may belong to another file below it. cachestat(2) examines only the upper
     * file, finds no pages, and says so; a mapping is of the lower file. */
    bool is_stacked = fstatfs(fd, &fs) != 0 || fs.f_type == OVERLAYFS_SUPER_MAGIC ||
                      fs.f_type == FUSE_SUPER_MAGIC;
#ifdef SYS_cachestat
    struct page_range range = {.offset = 0, .length = bytes};
    struct page_counts counts;
    if (!is_stacked && syscall(SYS_cachestat, fd, &range, &counts, 0) == 0)
        return of_pages(counts.cached, bytes);
#else
    (void)is_stacked;
#endif
    return page_cache_residency_by_mincore(fd, bytes);
}

/* ---- evicting ---- */

#define TRIES          10
#define FIRST_PAUSE_NS UINT64_C(1000000)
#define LAST_PAUSE_NS  32000000 /* the pause doubles up to this; all nine last 159 ms */

/* Drops pages until none are left, or no more can be dropped. A page stays while something holds
 * it: a CPU's batch of recently used pages, the system's own writeback, another reader. So it is
 * worth waiting for more after a try that has removed some, but not if none does, as on tmpfs. */
int page_cache_evict(int fd, const char *name, struct residency *left, struct err *e)
{
    const struct io_file file = {.fd = fd, .name = name};
    struct stat st;
    unsigned patience = 0; /* number of further tries that may fail */
    *left = unknown;
    int rc = io_sync_pieces(&file, e); /* only clean pages can be dropped */
    if (rc != 0)
        return rc;
    if (fstat(fd, &st) != 0)
        return err_system(e, errno, "look at %s", name);
    struct residency before = page_cache_residency(fd, (uint64_t)st.st_size);
    for (unsigned tries = 1;; tries++) {
        /* without fadvise64(2) nothing is evicted, and the remaining residency says so */
        int code = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        if (code != 0 && code != ENOSYS && code != EOPNOTSUPP)
            return err_system(e, code, "evict %s from the cache", name);
        *left = page_cache_residency(fd, (uint64_t)st.st_size);
        if (!left->known || left->bytes == 0 || tries == TRIES || stop_requested())
            return 0;
        if (left->bytes < before.bytes)
            patience = 3;
        else if (patience-- == 0)
            return 0;
        before = *left;
        uint64_t pause_ns = FIRST_PAUSE_NS << (tries - 1);
        clock_sleep(MIN(pause_ns, LAST_PAUSE_NS));
    }
}
