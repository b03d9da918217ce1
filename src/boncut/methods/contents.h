// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

#include "boncut/ledger.h"
#include "boncut/methods/method.h"

/* Writes and checks blocks that carry a stamp in every sector of 512 bytes. */
#define SECTOR_BYTES 512

/* The number that identifies a file of a method and a worker in the stamps of its blocks. */
static inline uint64_t block_stamp(unsigned method, unsigned worker, uint64_t number)
{
    return (uint64_t)(method + 1) << 56 | (uint64_t)worker << 40 | number;
}

/*
 * Writes one version of up to METHOD_BUFFER blocks, from block number `block` of the file
 * identified by `stamp`, with these flags of pwritev2(2). Continues after a short write, so that
 * the next call returns the reason. Returns 0 or a negative errno, with the failed call in w->call.
 */
int contents_write(struct work *w, int fd, uint64_t stamp, uint64_t block, unsigned blocks,
                   uint64_t version, int flags);

/*
 * Stores the name of the call in w->call. Returns 0, or -errno when the call's result is negative.
 */
int work_called(struct work *w, const char *call, int result);

/*
 * Makes a new file below the directory behind fd, and opens it with these additional flags. Fails
 * if the name exists. Returns the descriptor or a negative errno.
 */
int work_create(struct work *w, int fd, const char *name, int flags);

/*
 * Makes a directory below the directory behind fd, and opens it. Returns the descriptor or a
 * negative errno.
 */
int work_make_directory(struct work *w, int fd, const char *name);

/*
 * Opens a file for reading after the cut. If its cached pages may be from before the cut, evicts
 * them. Returns the descriptor or a negative errno.
 */
int judging_open(struct judging *j, int fd, const char *name);

/*
 * What the failure of a call on a promised name means, by its errno: the name is missing, or cannot
 * be read. A lack of memory or descriptors is this process's, and ends the judging.
 */
enum finding judging_failure(struct judging *j, int code);

/*
 * Calls see() with the open directory and each name in it. Returns 0, or a negative errno when the
 * directory could not be read to its end: then it may have names that were not seen.
 */
typedef void name_seen(void *context, int fd, const char *name);
int directory_list(int fd, const char *name, name_seen *see, void *context);

/*
 * Examines up to METHOD_BUFFER blocks from block number `block`, of which at least version
 * `promised` was promised. Newer versions count as kept, even when they are mixed: each method
 * decides whether a mixture is a fault.
 */
void versions_check(struct judging *j, int fd, uint64_t stamp, uint64_t block, unsigned blocks,
                    uint64_t promised, struct sight *s);

/* Adds the state of a unit to the findings. `file` is the path that holds the unit. */
void judging_add(struct judging *j, uint32_t unit, const struct sight *s, const char *file);

/* Makes and opens the worker's file of blocks. */
int blocks_begin(struct work *w);

/* A method of a file of its own: a write and an fsync that io_uring links to it. */
int uring_fsync_begin(struct work *w);
int uring_fsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void uring_fsync_end(struct work *w);
