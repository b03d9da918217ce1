#ifndef UTIL_SHARED_MEMORY_H
#define UTIL_SHARED_MEMORY_H

#include <stddef.h>

#include "util/err.h"

/*
 * Maps zeroed memory that processes forked later share. Returns 0, or a negative errno with a line
 * in e, in which case *memory is NULL.
 */
int shared_memory_map(void **memory, size_t bytes, struct err *e);

/* Unmaps it. NULL is accepted. */
void shared_memory_unmap(void *memory, size_t bytes);

#endif
