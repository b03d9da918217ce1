// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "io/engine.h"

/* Operations of struct engine_ops for engines that work everywhere and own nothing. */
int at_once_available(struct err *e);
void at_once_close(void *state);

/*
 * Operations for engines that complete each transfer in submit(). Their state begins with their
 * setup.
 */
struct at_once {
    struct engine_setup setup;
};

size_t at_once_state_bytes(unsigned depth);
int at_once_open(void *state, const struct engine_setup *setup, struct err *e);
int at_once_wait(void *state, unsigned least, struct io *done[], unsigned most);
