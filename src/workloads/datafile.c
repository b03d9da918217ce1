#include "workloads/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cache.h"
#include "stop.h"

void datafile_init(struct datafile *d, const struct plan *p, unsigned number)
{
    *d = (struct datafile){
        .fd = -1,
        .file.fd = -1,
        .number = number,
        .bytes = share_of(p->data.chunks, p->workers, number).count * p->data.chunk_bytes,
        .perchar_bytes = share_of(p->data.perchar_bytes, p->workers, number).count,
    };
    snprintf(d->name, sizeof d->name, "data file %u", number);
    if (d->perchar_bytes > d->bytes)
        d->perchar_bytes = d->bytes;
}

void datafile_release(struct datafile *d)
{
    if (d->file.fd >= 0)
        close(d->file.fd);
    if (d->fd >= 0)
        close(d->fd);
    d->file.fd = -1;
    d->fd = -1;
    d->valid_bytes = 0;
}

static int make(struct datafile *d, const struct scratch *s, struct err *e)
{
    if (d->fd >= 0)
        return 0;
    int fd = scratch_make_data_file(s, (unsigned)d->number, e);
    if (fd < 0)
        return fd;
    d->fd = fd;
    return 0;
}

int datafile_empty(struct datafile *d, const struct scratch *s, struct err *e)
{
    int rc = make(d, s, e);
    if (rc != 0)
        return rc;
    d->valid_bytes = 0;
    d->generation = 0;
    if (ftruncate(d->fd, 0) != 0)
        return err_system(e, errno, "empty %s", d->name);
    return 0;
}

int datafile_fill(struct datafile *d, const struct scratch *s, const struct pattern *p,
                  uint64_t bytes, void *buffer, size_t chunk, struct err *e)
{
    int rc = make(d, s, e);
    struct io_file file = {.fd = d->fd, .name = d->name};
    while (rc == 0 && d->valid_bytes < bytes) {
        size_t length = chunk;
        if (length > bytes - d->valid_bytes)
            length = (size_t)(bytes - d->valid_bytes);
        if (stop_requested())
            return err_system(e, EINTR, "fill %s", d->name);
        pattern_fill(p, buffer, length, d->number, d->valid_bytes, d->generation);
        rc = io_write(&file, buffer, length, d->valid_bytes, e);
        if (rc == 0)
            d->valid_bytes += length;
    }
    return rc;
}

int datafile_evict(const struct datafile *d, const struct plan *p, struct err *e)
{
    return p->cache == CACHE_EVICT ? cache_evict_file(d->fd, d->name, e) : 0;
}

int datafile_open(struct datafile *d, const struct plan *p, int access, enum datafile_use use,
                  struct err *e)
{
    int flags = access;
    if (p->sync && access != O_RDONLY)
        flags |= O_DSYNC;
    if (p->direct && use == USE_BLOCKS)
        flags |= O_DIRECT;
    int fd = scratch_reopen(d->fd, flags, d->name, e);
    if (fd < 0)
        return fd;
    d->file = (struct io_file){.fd = fd, .name = d->name};
    return 0;
}
