#ifndef STORAGE_PAGE_CACHE_H
#define STORAGE_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* How much of a file is in the page cache. */
struct residency {
    bool known; /* false: the kernel would not tell, and bytes means nothing */
    uint64_t bytes;
};

/* How much of the files of a test was in the page cache. */
struct cache_use {
    bool known; /* false: the test has no data files, and the rest means nothing */
    double resident_percent_before;
    double resident_percent_after;
    bool system_dropped; /* the caches of the whole system were emptied before */
};

/*
 * How many of the file's first `bytes` bytes are in the page cache, in whole pages but for the end:
 * by cachestat(2) where that can be trusted, else by mincore(2), which of more than 16 GiB looks at
 * 256 windows of 64 MiB, spread evenly. Takes up to 50 ns a page
 * of the file, and no memory. The file must be open for reading, and the process must own it or
 * be allowed to write to it. What a filesystem keeps elsewhere is not seen: the ARC of ZFS, the
 * server of a network filesystem.
 */
struct residency page_cache_residency(int fd, uint64_t bytes);

/* The same by mincore alone, for kernels before Linux 6.5 and for tests. */
struct residency page_cache_residency_by_mincore(int fd, uint64_t bytes);

/*
 * Makes the file behind fd durable and has the kernel forget its pages: works without privilege.
 * Pages that do not go at once are tried again for up to a fifth of a second, as long as that
 * helps; *left says what stayed, which is not a failure (on tmpfs it is the whole file). name is
 * for messages. Returns 0 or a negative errno.
 */
int page_cache_evict(int fd, const char *name, struct residency *left, struct err *e);

#endif
