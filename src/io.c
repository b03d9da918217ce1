#include "io.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "stop.h"

/*
 * What is to become of a transfer that did not move all: 0 to go on, or the error. Nothing moved
 * at all would go on for ever.
 */
static int incomplete(const struct io_file *f, const char *verb, ssize_t moved, uint64_t offset,
                      struct err *e)
{
    if (moved > 0 || (moved < 0 && errno == EINTR && !stop_requested()))
        return 0;
    if (moved == 0)
        return err_system(e, EIO, "%s %s at %" PRIu64 ": nothing moved", verb, f->name, offset);
    return err_system(e, errno, "%s %s at %" PRIu64, verb, f->name, offset);
}

int io_read(const struct io_file *f, void *buffer, size_t length, uint64_t offset, struct err *e)
{
    char *to = buffer;
    for (;;) {
        ssize_t moved = pread(f->fd, to, length, (off_t)offset);
        if (moved == (ssize_t)length)
            return 0;
        int rc = incomplete(f, "read", moved, offset, e);
        if (rc != 0)
            return rc;
        size_t done = moved > 0 ? (size_t)moved : 0;
        to += done;
        offset += done;
        length -= done;
    }
}

int io_write(const struct io_file *f, const void *buffer, size_t length, uint64_t offset,
             struct err *e)
{
    const char *from = buffer;
    for (;;) {
        ssize_t moved = pwrite(f->fd, from, length, (off_t)offset);
        if (moved == (ssize_t)length)
            return 0;
        int rc = incomplete(f, "write", moved, offset, e);
        if (rc != 0)
            return rc;
        size_t done = moved > 0 ? (size_t)moved : 0;
        from += done;
        offset += done;
        length -= done;
    }
}

int io_sync(const struct io_file *f, struct err *e)
{
    while (fsync(f->fd) != 0)
        if (errno != EINTR || stop_requested())
            return err_system(e, errno, "fsync %s", f->name);
    return 0;
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
