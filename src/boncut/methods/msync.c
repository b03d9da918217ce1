#include "boncut/methods/msync.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boncut/layout.h"
#include "boncut/methods/blocks.h"
#include "boncut/methods/contents.h"
#include "util/descriptor.h"

static size_t mapping_bytes(const struct work *w)
{
    return (size_t)w->header->units * w->header->block_bytes;
}

int msync_begin(struct work *w)
{
    int rc = blocks_begin(w, 0);
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
    descriptor_close(&w->other_fd);
    blocks_end(w);
}
