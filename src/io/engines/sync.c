#include "io/engines/at_once.h"

/* sync: pread and pwrite, one transfer after the other. */

struct state {
    struct engine_setup setup;
};

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
    transfer_run(s->setup.files[io->file].fd, io);
    return ENGINE_COMPLETED;
}

const struct engine_ops engine_sync = {
    .name = "sync",
    .summary = "pread and pwrite, one transfer at a time",
    .capabilities = ENGINE_STORES,
    .available = at_once_available,
    .state_bytes = state_bytes,
    .open = open_engine,
    .submit = submit,
    .wait = at_once_wait,
    .close = at_once_close,
};
