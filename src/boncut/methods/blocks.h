#ifndef BONCUT_METHODS_BLOCKS_H
#define BONCUT_METHODS_BLOCKS_H

#include "boncut/methods/method.h"

/*
 * What all methods that overwrite blocks of one file share: each worker has a file, and its units
 * are blocks of that file.
 */

/*
 * Makes the worker's file, fills it with version 0, and opens it with these additional flags of
 * open(2).
 */
int blocks_begin(struct work *w, int flags);

void blocks_end(struct work *w);

/* Overwrites one block, with flags of pwritev2(2). */
int blocks_write(struct work *w, uint32_t block, uint64_t version, int flags);

/*
 * Judges every block: no sector may be older than promised. A block that is newer, or that mixes
 * newer versions, was being written when the power went.
 */
void blocks_judge(struct judging *j, unsigned worker);

/* Number of blocks in a worker's file. */
uint32_t blocks_of(const struct header *h, unsigned method);

#endif
