// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/shared_memory.h"

#include <errno.h>
#include <sys/mman.h>

int shared_memory_map(void **memory, size_t bytes, struct err *e)
{
    *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*memory != MAP_FAILED)
        return 0;
    int code = errno;
    *memory = NULL;
    return err_system(e, code, "map %zu bytes of shared memory", bytes);
}

void shared_memory_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
