#include "bonload/targets/profile/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/clock.h"
#include "sys/stop.h"
#include "util/units.h"

#define FILL_BYTES MIB

/* Opens the file again with O_DIRECT, if that is supported. */
static int open_direct(int fd, const char *name)
{
    struct err ignored;
    err_init(&ignored);
    int direct = scratch_reopen(fd, O_RDWR | O_DIRECT, name, &ignored);
    if (direct < 0)
        return fd;
    close(fd);
    return direct;
}

int storage_make_file(const struct storage *s, const struct profile_file *f, unsigned number,
                      struct err *e)
{
    bool is_named;
    int fd = scratch_make_data_file(&s->scratch, number, &is_named, e);
    if (fd < 0)
        return fd;
    if (is_named) {
        int rc = scratch_remove_data_file(&s->scratch, number, e);
        close(fd);
        return rc ? rc
                  : err_say(e, "%s: the filesystem does not support files without a name",
                            s->scratch.path);
    }
    return f->is_direct ? open_direct(fd, f->name) : fd;
}

int storage_reserve(int fd, uint64_t bytes)
{
    while (fallocate(fd, 0, 0, (off_t)bytes) != 0)
        if (errno != EINTR)
            return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
    return 0;
}

int storage_write(int fd, const unsigned char *from, size_t length, int64_t at)
{
    while (length > 0) {
        ssize_t written = at < 0 ? write(fd, from, length) : pwrite(fd, from, length, (off_t)at);
        if (written == 0)
            return EIO;
        if (written < 0 && errno != EINTR)
            return errno;
        size_t done = written > 0 ? (size_t)written : 0;
        from += done;
        length -= done;
        at += at < 0 ? 0 : (int64_t)done;
    }
    return 0;
}

int storage_sync(int fd, bool all)
{
    while ((all ? fsync(fd) : fdatasync(fd)) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int storage_sync_timed(int fd, bool all, struct gauge *gauge, uint64_t *longest_ns)
{
    uint64_t begin_ns = clock_ns();
    int code = storage_sync(fd, all);
    uint64_t end_ns = clock_ns();
    gauge_add(gauge, end_ns - begin_ns, end_ns);
    if (end_ns - begin_ns > *longest_ns)
        *longest_ns = end_ns - begin_ns;
    return code;
}

int storage_fill(const struct storage *s, const struct profile_file *f, int fd, unsigned number,
                 uint64_t bytes, struct err *e)
{
    unsigned char *buffer = aligned_alloc(STORAGE_ALIGNMENT, FILL_BYTES);
    int rc = buffer ? 0 : err_system(e, ENOMEM, "memory for a buffer");
    for (uint64_t at = 0; rc == 0 && at < bytes; at += FILL_BYTES) {
        size_t part = bytes - at < FILL_BYTES ? bytes - at : FILL_BYTES;
        pattern_fill(&s->pattern, buffer, part, number, at, 0);
        int code = storage_write(fd, buffer, part, (int64_t)at);
        rc = code ? err_system(e, code, "write the file '%s' in %s", f->name, s->scratch.path)
                  : stop_check(e);
    }
    free(buffer);
    int code = rc == 0 ? storage_sync(fd, true) : 0;
    return code ? err_system(e, code, "fsync the file '%s' in %s", f->name, s->scratch.path) : rc;
}
