#ifndef UTIL_DESCRIPTOR_H
#define UTIL_DESCRIPTOR_H

#include <unistd.h>

/* Closes *fd unless it is negative, and sets it to -1. Errors of close() are ignored. */
static inline void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

#endif
