#include "workloads/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "cache.h"
#include "stop.h"

/* How many of the first `chunks` chunks' worth of per-character bytes there are, in proportion. */
static uint64_t perchar_before(const struct data_plan *d, uint64_t chunks)
{
    __extension__ typedef unsigned __int128 uint128;
    return (uint64_t)((uint128)d->perchar_bytes * chunks / d->chunks);
}

void datafile_init(struct datafile *d, const struct plan *p, unsigned number, struct io_file *file,
                   struct contents *contents)
{
    *d = (struct datafile){.fd = -1, .file = file, .number = number, .contents = contents};
    *file = (struct io_file){.fd = -1, .name = d->name};
    snprintf(d->name, sizeof d->name, "data file %u in %s", number, p->directory);
    if (p->data.chunks == 0)
        return;
    struct share chunks = share_of(p->data.chunks, p->workers, number);
    d->bytes = chunks.count * p->data.chunk_bytes;
    contents->files[number].start = chunks.first * p->data.chunk_bytes;
    /* A larger file takes more of them: so they fit into the files, and none is lost. */
    d->perchar_bytes = perchar_before(&p->data, chunks.first + chunks.count) -
                       perchar_before(&p->data, chunks.first);
}

void datafile_release(struct datafile *d)
{
    if (d->file->fd >= 0)
        close(d->file->fd);
    if (d->fd >= 0)
        close(d->fd);
    d->file->fd = -1;
    d->fd = -1;
    d->valid_bytes = 0;
}

static int make(struct datafile *d, const struct scratch *s, struct err *e)
{
    if (d->fd >= 0)
        return 0;
    int fd = scratch_make_data_file(s, d->number, e);
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
    if (d->is_begun) /* no run is to write what one before it wrote */
        d->contents->files[d->number].generation++;
    d->is_begun = true;
    if (ftruncate(d->fd, 0) != 0)
        return err_system(e, errno, "empty %s", d->name);
    return 0;
}

int datafile_set_size(struct datafile *d, struct err *e)
{
    if (ftruncate(d->fd, (off_t)d->bytes) != 0)
        return err_system(e, errno, "make %s %" PRIu64 " bytes long", d->name, d->bytes);
    return 0;
}

int datafile_fill(struct datafile *d, const struct scratch *s, uint64_t bytes, void *buffer,
                  size_t chunk, struct err *e)
{
    int rc = make(d, s, e);
    struct io_file file = {.fd = d->fd, .name = d->name};
    bool written = d->valid_bytes < bytes;
    while (rc == 0 && d->valid_bytes < bytes) {
        size_t length = chunk;
        if (length > bytes - d->valid_bytes)
            length = (size_t)(bytes - d->valid_bytes);
        contents_fill(d->contents, d->number, d->valid_bytes, buffer, length);
        rc = io_write(&file, buffer, length, d->valid_bytes, e);
        if (rc == 0)
            d->valid_bytes += length;
        if (rc == 0)
            rc = stop_check(e);
    }
    /* The test that follows is not to pay for writing it back. */
    return rc == 0 && written ? io_sync_pieces(&file, e) : rc;
}

int datafile_evict(const struct datafile *d, const struct plan *p, struct err *e)
{
    struct residency left; /* what matters is what is left when the clock starts */
    return p->cache == CACHE_EVICT ? cache_evict_file(d->fd, d->name, &left, e) : 0;
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
    d->file->fd = fd;
    return 0;
}

int datafile_close(struct datafile *d, struct err *e)
{
    return io_close(d->file, e);
}
