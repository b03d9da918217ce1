#ifndef SYS_CACHE_DROPPER_H
#define SYS_CACHE_DROPPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

/*
 * The dropper: a small process that keeps the right to empty the system's caches (page cache,
 * inodes, directory entries) after the rest of the program has given up root.
 *
 * It is forked before the privileges are dropped, opens /proc/sys/vm/drop_caches, gives up all
 * capabilities and every other descriptor except its end of a socket, and from then on runs under a
 * seccomp filter (dropper_filter.h): it can read from and write to the socket, write one byte at
 * the start of drop_caches, and exit. One byte asks for a drop, one byte answers.
 */
struct cache_dropper {
    pid_t pid; /* 0: there is none */
    int socket;
};

/*
 * Starts the dropper if this process may empty the caches (it is root, and the system lets it) and
 * the dropper can be confined. Otherwise d->pid is 0, which is not a failure. Returns 0 or a
 * negative errno.
 */
int cache_dropper_start(struct cache_dropper *d, struct err *e);

/* True when there is a dropper. */
bool cache_dropper_is_there(const struct cache_dropper *d);

/*
 * Empties the system's caches of clean pages; the caller syncs first. Returns 0 or a negative
 * errno.
 */
int cache_dropper_drop(struct cache_dropper *d, struct err *e);

/* Ends the dropper and waits for it. */
void cache_dropper_stop(struct cache_dropper *d);

#endif
