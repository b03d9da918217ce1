// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stddef.h>

#include "util/err.h"

/* Maps zeroed memory, which processes that are forked later share. Then *memory is NULL. */
int shared_memory_map(void **memory, size_t bytes, struct err *e);

/* Unmaps the memory, which may be NULL. */
void shared_memory_unmap(void *memory, size_t bytes);
