// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/mman.h>

#include "util/err.h"

/* Maps zeroed memory, which processes that are forked later share. After a failure it is NULL. */
static inline int shared_memory_map(void **memory, size_t bytes, struct err *e)
{
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*memory != MAP_FAILED)
        return 0;
    *memory = NULL;
    int rc = err_system(e, errno, "map %zu bytes of shared memory", bytes);
    ASSUME(rc != 0);
    return rc;
}

/* Unmaps the memory, which may be NULL. */
static inline void shared_memory_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
