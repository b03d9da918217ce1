// SPDX-License-Identifier: GPL-2.0-or-later
#include "io/file.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/stat.h>

#include "sys/stop.h"
#include "util/portable.h"

enum transfer_outcome transfer_outcome(struct io *io)
{
    if (io->result == (ssize_t)io->length) {
        transfer_rewind(io);
        return TRANSFER_WHOLE;
    }
    if (io->result == -EINTR)
        return TRANSFER_PART;
    if (io->result <= 0) /* trying again would never end */
        return TRANSFER_FAILED;
    size_t moved = (size_t)io->result;
    io->buffer += moved;
    io->offset += moved;
    io->length -= moved;
    io->moved += moved;
    return TRANSFER_PART;
}

void transfer_run(const struct io_file *f, struct io *io)
{
    off_t place = (off_t)(f->base + io->offset);
    ssize_t moved = io->kind == IO_READ ? pread(f->fd, io->buffer, io->length, place)
                                        : pwrite(f->fd, io->buffer, io->length, place);
    io->result = moved < 0 ? -errno : moved;
}

int transfer_describe_failure(const struct io *io, const struct io_file *f, struct err *e)
{
    return err_system(e, transfer_error(io), "%s %s at %" PRIu64 "%s",
                      io->kind == IO_READ ? "read" : "write", f->name, f->base + io->offset,
                      io->result == 0 ? ": nothing moved" : "");
}

static int transfer_whole(const struct io_file *f, struct io *io, struct err *e)
{
    enum transfer_outcome outcome;
    do {
        transfer_run(f, io);
        outcome = transfer_outcome(io);
    } while (outcome == TRANSFER_PART && !(io->result == -EINTR && stop_requested()));
    return outcome == TRANSFER_WHOLE ? 0 : transfer_describe_failure(io, f, e);
}

int io_read(const struct io_file *f, void *buffer, size_t length, uint64_t offset, struct err *e)
{
    struct io io = {.kind = IO_READ, .offset = offset, .length = length, .buffer = buffer};
    return transfer_whole(f, &io, e);
}

int io_write(const struct io_file *f, const void *buffer, size_t length, uint64_t offset,
             struct err *e)
{
    /* Casting const away is safe, because a write does not change the bytes. */
    struct io io = {
        .kind = IO_WRITE, .offset = offset, .length = length, .buffer = (unsigned char *)buffer};
    return transfer_whole(f, &io, e);
}

int io_sync(const struct io_file *f, struct err *e)
{
    return sync_again(f->fd, fsync) == 0 ? 0 : err_system(e, errno, "fsync %s", f->name);
}

int io_write_behind(const struct io_file *f, uint64_t offset, uint64_t length, struct err *e)
{
    int rc = sync_file_range(f->fd, (off_t)offset, (off_t)length, SYNC_FILE_RANGE_WRITE);
    if (rc == 0 && offset >= 2 * length)
        rc = sync_file_range(f->fd, (off_t)(offset - 2 * length), (off_t)length,
                             SYNC_FILE_RANGE_WAIT_BEFORE);
    /* where the kernel lacks the call or a filter forbids it, fsync(2) will do its work */
    bool is_failure = rc != 0 && errno != ENOSYS && errno != EPERM;
    return is_failure ? err_system(e, errno, "write back %s", f->name) : 0;
}

int io_sync_pieces(const struct io_file *f, struct err *e)
{
    struct stat st;
    if (fcntl(f->fd, F_GETFL) & O_DIRECT) /* direct transfers leave nothing in memory */
        return io_sync(f, e);
    if (fstat(f->fd, &st) != 0)
        return err_system(e, errno, "look at %s", f->name);
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < (uint64_t)st.st_size; at += IO_PIECE) {
        rc = io_write_behind(f, at, IO_PIECE, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    return rc == 0 ? io_sync(f, e) : rc;
}

int io_close(struct io_file *f, struct err *e)
{
    int fd = f->fd;
    f->fd = -1;
    /* Linux releases the descriptor even after EINTR, so it must not be closed again. */
    if (fd >= 0 && close(fd) != 0 && errno != EINTR)
        return err_system(e, errno, "close %s", f->name);
    return 0;
}

/* An extent with one of these flags is not on the device, or not as the file's own bytes. */
#define PLACELESS                                                                                  \
    (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED |                      \
     FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

uint64_t file_place(int fd, uint64_t offset, uint64_t length, uint64_t *place)
{
    uint64_t room[(sizeof(struct fiemap) + sizeof(struct fiemap_extent)) / sizeof(uint64_t)] = {0};
    struct fiemap *map = (struct fiemap *)room;
    const struct fiemap_extent *extent = map->fm_extents;
    map->fm_start = offset;
    map->fm_length = length;
    map->fm_extent_count = 1;
    if (portable_ioctl(fd, FS_IOC_FIEMAP, map) != 0 || map->fm_mapped_extents == 0)
        return 0;
    uint64_t skipped = offset - extent->fe_logical;
    if ((extent->fe_flags & PLACELESS) || extent->fe_logical > offset ||
        skipped >= extent->fe_length)
        return 0;
    *place = extent->fe_physical + skipped;
    return MIN(extent->fe_length - skipped, length);
}
