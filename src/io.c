#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stop.h"

enum direction { READ, WRITE };

static ssize_t transfer_some(const struct io_file *f, enum direction direction, char *buffer,
                             size_t length, uint64_t offset)
{
    return direction == READ ? pread(f->fd, buffer, length, (off_t)offset)
                             : pwrite(f->fd, buffer, length, (off_t)offset);
}

static int transfer(const struct io_file *f, enum direction direction, char *buffer, size_t length,
                    uint64_t offset, struct err *e)
{
    static const char *const verbs[] = {[READ] = "read", [WRITE] = "write"};
    for (;;) {
        ssize_t moved = transfer_some(f, direction, buffer, length, offset);
        if (moved == (ssize_t)length)
            return 0;
        if (moved < 0 && (errno != EINTR || stop_requested()))
            return err_system(e, errno, "%s %s at %" PRIu64, verbs[direction], f->name, offset);
        if (moved == 0) /* would go on for ever */
            return err_system(e, EIO, "%s %s at %" PRIu64 ": nothing moved", verbs[direction],
                              f->name, offset);
        size_t done = moved > 0 ? (size_t)moved : 0;
        buffer += done;
        offset += done;
        length -= done;
    }
}

int io_read(const struct io_file *f, void *buffer, size_t length, uint64_t offset, struct err *e)
{
    return transfer(f, READ, buffer, length, offset, e);
}

int io_write(const struct io_file *f, const void *buffer, size_t length, uint64_t offset,
             struct err *e)
{
    /* pwrite does not touch what the pointer loses its const for. */
    return transfer(f, WRITE, (char *)buffer, length, offset, e);
}

int io_sync(const struct io_file *f, struct err *e)
{
    while (fsync(f->fd) != 0)
        if (errno != EINTR || stop_requested())
            return err_system(e, errno, "fsync %s", f->name);
    return 0;
}

/* A kernel that does not know the call, or a filter that forbids it, leaves everything to fsync. */
static int sync_range(const struct io_file *f, uint64_t offset, uint64_t length, unsigned flags,
                      struct err *e)
{
    if (sync_file_range(f->fd, (off_t)offset, (off_t)length, flags) != 0 && errno != ENOSYS &&
        errno != EPERM)
        return err_system(e, errno, "write back %s", f->name);
    return 0;
}

int io_write_behind(const struct io_file *f, uint64_t offset, uint64_t length, struct err *e)
{
    int rc = sync_range(f, offset, length, SYNC_FILE_RANGE_WRITE, e);
    if (rc == 0 && offset >= 2 * length)
        rc = sync_range(f, offset - 2 * length, length, SYNC_FILE_RANGE_WAIT_BEFORE, e);
    return rc;
}

int io_sync_pieces(const struct io_file *f, struct err *e)
{
    struct stat st;
    if (fcntl(f->fd, F_GETFL) & O_DIRECT) /* memory holds nothing */
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

ssize_t io_read_byte(int fd, char *byte)
{
    ssize_t got;
    do {
        got = read(fd, byte, 1);
    } while (got < 0 && errno == EINTR && !stop_requested());
    return got;
}

int io_write_byte(int fd, char byte)
{
    ssize_t put;
    do {
        put = write(fd, &byte, 1);
    } while (put < 0 && errno == EINTR && !stop_requested());
    return put == 1 ? 0 : put < 0 ? -errno : -EIO;
}

int io_close(struct io_file *f, struct err *e)
{
    int fd = f->fd;
    f->fd = -1;
    /* Linux releases the descriptor even when close is interrupted: never close it again. */
    if (fd >= 0 && close(fd) != 0 && errno != EINTR)
        return err_system(e, errno, "close %s", f->name);
    return 0;
}
