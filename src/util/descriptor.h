#ifndef UTIL_DESCRIPTOR_H
#define UTIL_DESCRIPTOR_H

#include <unistd.h>

/* Closes *fd unless it is negative, and sets it to -1. Ignores errors of close(2). */
static inline void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

#endif
