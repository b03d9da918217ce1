// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/helper.h"

/* The dropper is a helper that may still empty the system's caches (page cache, inodes, directory
 * entries) after the rest of the program has given up root. It opens /proc/sys/vm/drop_caches, and
 * is confined; from then on, a number asks for a drop, and the answer repeats it: so one that comes
 * too late is not taken for that of the next drop. Without a dropper (pid 0), only the files' own
 * pages can be evicted (storage/page_cache.h). */
struct dropper_answer {
    uint64_t request; /* the number that was sent */
    uint64_t code;    /* 0, or a positive errno */
};

/* Confines the calling process, which has called privilege_give_up_capabilities(), for good: to
 * read(2) and write(2) on `socket`, pwrite(2) of one byte at offset 0 of the descriptor
 * *drop_caches (an int), and the exit of one thread. Any other call, and any with another
 * architecture's numbers, kills the process. Returns what seccomp_install() returns. */
bool dropper_filter_install(void *drop_caches, int socket);

/* Starts the dropper if this process may empty the caches, and the dropper can be confined. */
int cache_dropper_start(struct helper *dropper, struct err *e);

/* Empties the system's caches of clean pages, so the caller must sync first. Returns 0; a negative
 * errno with a line in e; or CACHE_DROP_LATE, after which who started the dropper stops it: it has
 * not ended in time, and where a filesystem of the machine does not answer, it may never end. */
#define CACHE_DROP_SECONDS 120
#define CACHE_DROP_LATE    1
int cache_dropper_drop(const struct helper *dropper, struct err *e);

/* Ends the dropper, and waits for it, but not for ever: without root it cannot be killed. */
void cache_dropper_stop(struct helper *dropper);
