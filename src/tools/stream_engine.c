#include "tools/stream_engine.h"

#include <errno.h>
#include <unistd.h>

#include "io/engines/sync.h"

static enum engine_answer stream_submit(void *state, struct io *io)
{
    const struct at_once *s = state;
    ssize_t moved = read(s->setup.files[io->file].fd, io->buffer, io->length);
    io->result = moved < 0 ? -errno : moved == 0 ? -STREAM_ENDED : moved;
    return ENGINE_COMPLETED;
}

const struct engine_ops engine_stream = {
    .name = "read",
    .summary = "read, one transfer at a time",
    .available = at_once_available,
    .state_bytes = at_once_state_bytes,
    .open = at_once_open,
    .submit = stream_submit,
    .wait = at_once_wait,
    .close = at_once_close,
};
