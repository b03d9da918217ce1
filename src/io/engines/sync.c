// SPDX-License-Identifier: GPL-2.0-or-later
#include "io/engines/sync.h"

int at_once_available(struct err *e)
{
    (void)e;
    return 0;
}

void at_once_close(void *state)
{
    (void)state;
}

size_t at_once_state_bytes(unsigned depth)
{
    (void)depth;
    return sizeof(struct at_once);
}

int at_once_open(void *state, const struct engine_setup *setup, struct err *e)
{
    (void)e;
    ((struct at_once *)state)->setup = *setup;
    return 0;
}

/* No transfer is ever in flight. */
int at_once_wait(void *state, unsigned least, struct io *done[], unsigned most)
{
    (void)state, (void)least, (void)done, (void)most;
    return 0;
}

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
