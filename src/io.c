#include "io.h"

#include <errno.h>
#include <inttypes.h>
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
