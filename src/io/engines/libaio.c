// SPDX-License-Identifier: GPL-2.0-or-later
#include <libaio.h>

#include "io/engine.h"

/* libaio: Linux native asynchronous I/O. Submits many transfers with one io_submit(2). Only direct
 * ones are asynchronous: the call completes buffered ones itself. */

struct state {
    struct engine_setup setup;
    io_context_t context;
    unsigned collected;  /* number of blocks in `batch` that have not been submitted */
    unsigned free_count; /* number of unused control blocks */
    struct iocb **batch; /* these four have setup.depth elements each */
    struct iocb **unused;
    struct iocb *blocks;
    struct io_event *events;
};

static int libaio_available(struct err *e)
{
    io_context_t context = 0;
    int rc = io_setup(1, &context);
    if (rc == -EAGAIN)
        return err_say(e, "no more requests are allowed: see the sysctl fs.aio-max-nr");
    if (rc < 0)
        return err_system(e, -rc, "the kernel refuses io_setup");
    io_destroy(context);
    return 0;
}

static int libaio_open(void *state, struct err *e)
{
    struct state *s = state;
    unsigned depth = s->setup.depth;
    s->blocks = (struct iocb *)(s + 1);
    s->events = (struct io_event *)(s->blocks + depth);
    s->batch = (struct iocb **)(s->events + depth);
    s->unused = s->batch + depth;
    for (; s->free_count < depth; s->free_count++)
        s->unused[s->free_count] = &s->blocks[s->free_count];
    int rc = io_setup((int)depth, &s->context);
    if (rc == -EAGAIN)
        return err_system(e, -rc, "libaio: set up %u requests (sysctl fs.aio-max-nr)", depth);
    return rc < 0 ? err_system(e, -rc, "libaio: io_setup for %u requests", depth) : 0;
}

static enum engine_answer libaio_submit(void *state, struct io *io)
{
    struct state *s = state;
    if (s->free_count == 0)
        return ENGINE_BUSY;
    const struct io_file *f = &s->setup.files[io->file];
    long long place = (long long)(f->base + io->offset);
    struct iocb *block = s->unused[--s->free_count];
    if (io->kind == IO_READ)
        io_prep_pread(block, f->fd, io->buffer, io->length, place);
    else
        io_prep_pwrite(block, f->fd, io->buffer, io->length, place);
    block->data = io;
    s->batch[s->collected++] = block;
    return ENGINE_QUEUED;
}

static int libaio_wait(void *state, unsigned least, struct io *done[], unsigned most)
{
    struct state *s = state;
    struct timespec none = {0}; /* with 0, libaio reads the ring without a system call */
    unsigned submitted = 0;
    int rc = 0;
    while (submitted < s->collected && rc >= 0) {
        rc = io_submit(s->context, s->collected - submitted, s->batch + submitted);
        submitted += rc > 0 ? (unsigned)rc : 0;
    }
    /* -EAGAIN: the kernel accepts no more until some transfers are complete */
    bool is_refused = rc < 0 && rc != -EAGAIN && rc != -EINTR;
    if (is_refused) { /* the first of the remaining transfers, which is complete with that error */
        struct iocb *block = s->batch[submitted++];
        done[0] = block->data;
        done[0]->result = rc;
        s->unused[s->free_count++] = block;
    }
    s->collected -= submitted;
    if (submitted > 0)
        memmove(s->batch, s->batch + submitted, s->collected * sizeof *s->batch);
    if (is_refused)
        return 1;
    if (rc == -EINTR)
        return rc;
    if (rc == -EAGAIN && s->collected + s->free_count == s->setup.depth)
        return rc; /* with nothing in flight, there is nothing to wait for */
    int count = io_getevents(s->context, (long)least, (long)most, s->events, least ? NULL : &none);
    for (int i = 0; i < count; i++) {
        struct io_event *event = &s->events[i];
        struct io *io = event->data;
        io->result = (ssize_t)event->res;
        s->unused[s->free_count++] = event->obj;
        done[i] = io;
    }
    return count;
}

static void libaio_close(void *state)
{
    io_destroy(((struct state *)state)->context); /* waits for transfers in flight */
}

const struct engine_ops engine_libaio = {
    .name = "libaio",
    .summary = "Linux native asynchronous I/O; asynchronous only with --direct",
    .capabilities = ENGINE_QUEUES | ENGINE_STORES | ENGINE_NEEDS_DIRECT,
    .available = libaio_available,
    .state_bytes = sizeof(struct state),
    .transfer_bytes = 2 * sizeof(struct iocb *) + sizeof(struct iocb) + sizeof(struct io_event),
    .open = libaio_open,
    .submit = libaio_submit,
    .wait = libaio_wait,
    .close = libaio_close,
};
