#ifndef UTIL_SHARED_MEMORY_H
#define UTIL_SHARED_MEMORY_H

#include <stddef.h>

#include "util/err.h"

/*
 * Maps memory that is full of zeros and shared with processes that are forked later. Returns 0, or
 * a negative errno with a line in e; *memory is NULL then.
 */
int shared_memory_map(void **memory, size_t bytes, struct err *e);

/* Unmaps it; NULL is nothing. */
void shared_memory_unmap(void *memory, size_t bytes);

#endif
