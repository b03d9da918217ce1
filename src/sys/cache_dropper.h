// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

#include "sys/helper.h"
#include "util/err.h"

/*
 * The dropper is a small process that may still empty the system's caches (page cache, inodes,
 * directory entries) after the rest of the program has given up root.
 *
 * It is forked before the program drops its privileges. It opens /proc/sys/vm/drop_caches,
 * gives up all capabilities and all other descriptors except its end of a socket, and installs its
 * filter. From then on, one byte asks for a drop, and one byte answers. Without a dropper, only the
 * files' own pages can be evicted (storage/page_cache.h).
 */
struct cache_dropper {
    struct helper process;
};

/*
 * Confines the calling process, for the rest of its life, to the system calls of the cache dropper,
 * with a filter of seccomp(2): read(2) and write(2) on `socket`, pwrite(2) of one byte at offset 0
 * of `drop_caches`, and the exit of one thread. Any other call, and
 * any call with the numbers of another architecture, kills the process at once.
 *
 * The process must have given up the means to gain privileges (privilege_give_up_capabilities()).
 * Returns false, and confines nothing, if the kernel accepts no filter, or if the architecture is
 * not in the table.
 */
bool dropper_filter_install(int socket, int drop_caches);

/*
 * Starts the dropper if this process may empty the caches (it is root, and the system allows it),
 * and if the dropper can be confined. Otherwise there is no dropper, which is not a failure.
 */
int cache_dropper_start(struct cache_dropper *d, struct err *e);

/* Whether there is a dropper. */
bool cache_dropper_is_there(const struct cache_dropper *d);

/* Empties the system's caches of clean pages, so the caller must sync first. */
int cache_dropper_drop(struct cache_dropper *d, struct err *e);

/* Ends the dropper, and waits for it, but not for ever: without root it cannot be killed. */
void cache_dropper_stop(struct cache_dropper *d);
