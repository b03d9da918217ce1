#ifndef STORAGE_PAGE_CACHE_H
#define STORAGE_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* How much of a file is in the page cache. */
struct residency {
    bool known; /* false: the kernel does not say, and bytes means nothing */
    uint64_t bytes;
};

/* How much of the files of a test was in the page cache. */
struct cache_use {
    bool known; /* false: the test has no data files, and the other fields mean nothing */
    double resident_percent_before;
    double resident_percent_after;
    bool system_dropped; /* the caches of the whole system were dropped before */
};

/*
 * How many of the file's first `bytes` bytes are in the page cache, in whole pages except for the
 * end. Uses cachestat(2) where it can be trusted, otherwise mincore(2), and for files of more than
 * 16 GiB mincore(2) of 256 windows of 64 MiB, spread evenly. Takes up to 50 ns a page of the file,
 * and no memory. The file must be open for reading, and the process must own it or be allowed to
 * write to it. Caches outside of the page cache are not counted: the ARC of ZFS, the server of a
 * network filesystem.
 */
struct residency page_cache_residency(int fd, uint64_t bytes);

/* The same with mincore only, for kernels before Linux 6.5 and for tests. */
struct residency page_cache_residency_by_mincore(int fd, uint64_t bytes);

/*
 * Makes the file behind fd durable and has the kernel drop its pages, which needs no privilege.
 * Pages that stay are tried again for up to a fifth of a second, as long as that helps; *left says
 * how much stayed, which is not a failure (on tmpfs it is the whole file). name is for messages.
 * Returns 0 or a negative errno.
 */
int page_cache_evict(int fd, const char *name, struct residency *left, struct err *e);

#endif
