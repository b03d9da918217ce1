// SPDX-License-Identifier: GPL-2.0-or-later
#include "io/engine.h"

/* sync: pread(2) and pwrite(2), one transfer after another. */

static enum engine_answer sync_submit(void *state, struct io *io)
{
    const struct engine_setup *setup = state;
    transfer_run(&setup->files[io->file], io);
    return ENGINE_COMPLETED;
}

const struct engine_ops engine_sync = {
    .name = "sync",
    .summary = "pread and pwrite, one transfer at a time",
    .capabilities = ENGINE_STORES,
    .state_bytes = sizeof(struct engine_setup),
    .submit = sync_submit,
};
