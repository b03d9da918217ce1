#ifndef BONNIE_CACHE_H
#define BONNIE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* How much of a file is in the page cache. */
struct residency {
    bool known; /* false: the kernel would not tell, and bytes means nothing */
    uint64_t bytes;
};

/*
 * How many of the file's first `bytes` bytes are in the page cache, in whole pages but for the end:
 * by cachestat(2) where that can be trusted, else by mincore(2). Takes up to 50 ns a page
 * of the file, and no memory. The file must be open for reading, and the process must own it or
 * be allowed to write to it. What a filesystem keeps elsewhere is not seen: the ARC of ZFS, the
 * server of a network filesystem.
 */
struct residency cache_residency(int fd, uint64_t bytes);

/* The same by mincore alone, for kernels before Linux 6.5 and for tests. */
struct residency cache_residency_by_mincore(int fd, uint64_t bytes);

/*
 * Makes the file behind fd durable and has the kernel forget its pages: works without privilege.
 * What does not go at once is tried again for up to a fifth of a second, as long as that helps;
 * what stayed is told in *left and is no failure (on tmpfs it is all of the file). name is for
 * messages. Returns 0 or a negative errno.
 */
int cache_evict_file(int fd, const char *name, struct residency *left, struct err *e);

#endif
