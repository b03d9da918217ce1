// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* How much of a file is in the page cache. */
struct residency {
    bool known; /* false: the kernel does not say, and `bytes` has no meaning */
    uint64_t bytes;
};

/* How much of the files of a test was in the page cache. */
struct cache_use {
    bool known; /* false: the test has no data files, and the other fields mean nothing */
    double resident_percent_before;
    double resident_percent_after;
    bool system_dropped; /* the caches of the whole system were dropped before the test */
};

/* Finds how many of the file's first `bytes` bytes are in the page cache, in whole pages except at
 * the end. Uses cachestat(2) where it can be trusted, and otherwise mincore(2), which looks only at
 * 256 evenly spread pieces of 64 MiB if the file has more than 16 GiB. Takes up to 50 ns for each
 * page of the file, and no memory. The file must be open for reading, and the process must own it
 * or be allowed to write to it. Caches outside of the page cache are not counted, such as the ARC
 * of ZFS or the server of a network filesystem. */
struct residency page_cache_residency(int fd, uint64_t bytes);

/* Does the same with mincore(2) only, for kernels before Linux 6.5 and for tests. */
struct residency page_cache_residency_by_mincore(int fd, uint64_t bytes);

/* Makes the file behind fd durable, and makes the kernel drop its pages, which needs no privilege.
 * Tries pages that stay again for up to a fifth of a second, as long as that helps. *left becomes
 * what stays, which is not a failure (on tmpfs it is the whole file). `name` is for messages. */
int page_cache_evict(int fd, const char *name, struct residency *left, struct err *e);
