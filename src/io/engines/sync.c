#include "io/engines/at_once.h"

/* sync: pread(2) and pwrite(2), one transfer after another. */

static enum engine_answer sync_submit(void *state, struct io *io)
{
    const struct at_once *s = state;
    transfer_run(s->setup.files[io->file].fd, io);
    return ENGINE_COMPLETED;
}

const struct engine_ops engine_sync = {
    .name = "sync",
    .summary = "pread and pwrite, one transfer at a time",
    .capabilities = ENGINE_STORES,
    .available = at_once_available,
    .state_bytes = at_once_state_bytes,
    .open = at_once_open,
    .submit = sync_submit,
    .wait = at_once_wait,
    .close = at_once_close,
};
