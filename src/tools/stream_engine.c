#include "tools/stream_engine.h"

#include <errno.h>
#include <unistd.h>

#include "io/engines/at_once.h"

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
    ((struct state *)state)->setup = *setup;
    return 0;
}

static enum engine_answer submit(void *state, struct io *io)
{
    const struct state *s = state;
    ssize_t moved = read(s->setup.files[io->file].fd, io->buffer, io->length);
    io->result = moved < 0 ? -errno : moved == 0 ? -STREAM_ENDED : moved;
    return ENGINE_COMPLETED;
}

const struct engine_ops engine_stream = {
    .name = "read",
    .summary = "read, one transfer at a time",
    .available = at_once_available,
    .state_bytes = state_bytes,
    .open = open_engine,
    .submit = submit,
    .wait = at_once_wait,
    .close = at_once_close,
};
