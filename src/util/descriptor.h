#ifndef UTIL_DESCRIPTOR_H
#define UTIL_DESCRIPTOR_H

#include <unistd.h>

/* Closes *fd unless it is negative, and makes it -1. A failure is not told. */
static inline void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

#endif
