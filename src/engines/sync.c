#include <errno.h>
#include <unistd.h>

#include "engines/engine.h"

/* sync: pread and pwrite, one transfer after the other. */

struct state {
    struct engine_setup setup;
};

static int available(struct err *e)
{
    (void)e;
    return 0;
}

static size_t state_bytes(unsigned depth)
{
    (void)depth;
    return sizeof(struct state);
}

static int open_engine(void *state, const struct engine_setup *setup, struct err *e)
{
    (void)e;
    *(struct state *)state = (struct state){.setup = *setup};
    return 0;
}

static enum engine_answer submit(void *state, struct io *io)
{
    const struct state *s = state;
    int fd = s->setup.files[io->file].fd;
    ssize_t moved = io->kind == IO_READ ? pread(fd, io->buffer, io->length, (off_t)io->offset)
                                        : pwrite(fd, io->buffer, io->length, (off_t)io->offset);
    io->result = moved < 0 ? -errno : moved;
    return ENGINE_COMPLETED;
}

/* Nothing is ever in flight. */
static int wait_engine(void *state, unsigned least, struct io *done[], unsigned most)
{
    (void)state, (void)least, (void)done, (void)most;
    return 0;
}

static void close_engine(void *state)
{
    (void)state;
}

const struct engine_ops engine_sync = {
    .name = "sync",
    .summary = "pread and pwrite, one transfer at a time",
    .capabilities = ENGINE_STORES,
    .available = available,
    .state_bytes = state_bytes,
    .open = open_engine,
    .submit = submit,
    .wait = wait_engine,
    .close = close_engine,
};
