// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/methods/method.h"

/*
 * The methods that overwrite blocks, and the two control groups: each worker has one file, and its
 * units are blocks of that file. A block that is newer than promised, or that mixes newer versions,
 * was being written when the power went.
 */
int blocks_begin(struct work *w);
void blocks_end(struct work *w);
int blocks_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void blocks_judge(struct judging *j, unsigned worker);

/* Overwrites several blocks, and calls syncfs(2), which makes all of them durable. */
#define SYNCFS_BATCH 8
int syncfs_step(struct work *w, uint32_t unit, const uint64_t versions[]);

/*
 * The unit after the blocks is a tail, which grows by one block with each version. When its file
 * has
 * --units blocks, the next block goes to a new file, and the old file is removed once the new one
 * is durable. So the file with the promised version is sound up to that version; or it is gone, and
 * the first block of a later file is sound. A file that was begun just before the cut may be empty:
 * then the one before it is still there.
 */
int fsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int fdatasync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void fsync_judge(struct judging *j, unsigned worker);

/* Changes blocks in a shared mapping, and calls msync(2) with MS_SYNC. */
int msync_begin(struct work *w);
int msync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void msync_end(struct work *w);

/* A write and an fsync that io_uring links to it. */
int uring_fsync_begin(struct work *w);
int uring_fsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void uring_fsync_end(struct work *w);

/*
 * The control groups make nothing durable. They number their writes, which go round the blocks in
 * turn. `check` counts the blocks that are older than the last write to them, as a cut is expected
 * to leave some. It does not count unreadable and foreign blocks, which show nothing about a cut.
 */
int control_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void control_judge(struct judging *j, unsigned worker);
