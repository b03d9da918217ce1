// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/methods/method.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

#include "boncut/log.h"

int uring_fsync_begin(struct work *w)
{
    int rc = blocks_begin(w);
    if (rc != 0)
        return rc;
    struct io_uring *ring = calloc(1, sizeof *ring);
    w->call = "io_uring_setup";
    rc = ring ? io_uring_queue_init(2, ring, 0) : -ENOMEM;
    if (rc == 0)
        w->own = ring;
    else
        free(ring);
    return rc;
}

/* Checks the results of the write and the fsync: a full write, and 0. */
static int reap_write_and_fsync(struct work *w, struct io_uring *ring)
{
    const int right[] = {(int)w->header->block_bytes, 0};
    int rc = 0;
    for (int left = 2; left > 0; left--) {
        struct io_uring_cqe *cqe;
        int waited;
        do {
            waited = io_uring_wait_cqe(ring, &cqe);
        } while (waited == -EINTR);
        if (waited != 0)
            return waited;
        uint64_t which = io_uring_cqe_get_data64(cqe);
        if (cqe->res != right[which] && (rc == 0 || rc == -ECANCELED))
            rc = cqe->res < 0 ? cqe->res : -EIO;
        io_uring_cqe_seen(ring, cqe);
    }
    return rc;
}

int uring_fsync_step(struct work *w, uint32_t unit, const uint64_t versions[])
{
    struct io_uring *ring = w->own;
    uint64_t offset = (uint64_t)unit * w->header->block_bytes;
    pattern_fill(w->pattern, w->buffer, w->header->block_bytes,
                 block_stamp(w->method, w->worker, 0), offset, versions[0]);
    w->call = "io_uring write and fsync";
    struct io_uring_sqe *write = io_uring_get_sqe(ring);
    struct io_uring_sqe *sync = io_uring_get_sqe(ring);
    if (!write || !sync)
        return -EBUSY;
    io_uring_prep_write(write, w->fd, w->buffer, w->header->block_bytes, offset);
    io_uring_sqe_set_flags(write, IOSQE_IO_LINK);
    io_uring_sqe_set_data64(write, 0);
    io_uring_prep_fsync(sync, w->fd, 0);
    io_uring_sqe_set_data64(sync, 1);
    int submitted = io_uring_submit(ring);
    if (submitted < 0)
        return submitted;
    return submitted == 2 ? reap_write_and_fsync(w, ring) : -EIO;
}

void uring_fsync_end(struct work *w)
{
    if (w->own)
        io_uring_queue_exit(w->own);
    free(w->own);
    w->own = NULL;
}
