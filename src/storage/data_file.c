// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/data_file.h"

#include "sys/stop.h"
#include "util/descriptor.h"

/* Number of the file among those of all processes. */
static unsigned name_number(const struct data_file *d)
{
    return (unsigned)d->contents->first_number + d->number;
}

void data_file_release(struct data_file *d)
{
    descriptor_close(&d->file->fd);
    descriptor_close(&d->fd);
    if (d->named_in) /* if this fails, the directory cannot be removed either: that is noticed */
        scratch_remove_data_file(d->named_in, name_number(d), NULL);
    d->named_in = NULL;
    d->valid_bytes = 0;
    contents_end_rewriting(d->contents, d->number);
}

static int make_file(struct data_file *d, const struct scratch *s, struct err *e)
{
    if (d->fd >= 0)
        return 0;
    bool is_named = d->keeps_name;
    int fd = d->device  ? scratch_reopen(d->device->fd, O_RDWR | O_DIRECT, d->name, e)
             : is_named ? scratch_make_file(s, made_name(MADE_FILE, name_number(d)).text, e)
                        : scratch_make_data_file(s, name_number(d), &is_named, e);
    if (fd < 0)
        return fd;
    d->fd = fd;
    d->named_in = is_named ? s : NULL;
    return 0;
}

int data_file_empty(struct data_file *d, const struct scratch *s, struct err *e)
{
    int rc = make_file(d, s, e);
    if (rc != 0)
        return rc;
    d->valid_bytes = 0;
    contents_end_rewriting(d->contents, d->number);
    if (d->is_begun) /* the new contents must differ from the earlier ones */
        d->contents->files[d->number].generation++;
    d->is_begun = true;
    if (!d->device && ftruncate(d->fd, 0) != 0)
        return err_system(e, errno, "empty %s", d->name);
    return 0;
}

int data_file_fill(struct data_file *d, const struct scratch *s, uint64_t bytes, void *buffer,
                   size_t chunk, struct err *e)
{
    if (d->device && !d->device->writes)
        return 0;
    int rc = make_file(d, s, e);
    struct io_file file = {.fd = d->fd, .name = d->name, .base = d->file->base};
    bool written = d->valid_bytes < bytes;
    while (rc == 0 && d->valid_bytes < bytes) {
        uint64_t left = bytes - d->valid_bytes;
        size_t length = left < chunk ? (size_t)left : chunk;
        contents_fill(d->contents, d->number, d->valid_bytes, buffer, length, 0);
        rc = io_write(&file, buffer, length, d->valid_bytes, e);
        if (rc == 0)
            d->valid_bytes += length;
        if (rc == 0)
            rc = stop_check(e);
    }
    /* the next test must not pay for writing back what was filled here */
    return rc == 0 && written ? io_sync_pieces(&file, e) : rc;
}

int data_file_open(struct data_file *d, int access, enum data_file_use use, struct err *e)
{
    int flags = access | (d->sync && access != O_RDONLY ? O_DSYNC : 0) |
                (d->direct && use == USE_BLOCKS ? O_DIRECT : 0);
    int fd = d->device
                 ? scratch_reopen(d->device->fd, flags, d->name, e)
                 : scratch_reopen_data_file(d->named_in, name_number(d), d->fd, flags, d->name, e);
    d->file->fd = fd >= 0 ? fd : -1;
    return fd >= 0 ? 0 : fd;
}
