#ifndef BONCUT_METHODS_BLOCKS_H
#define BONCUT_METHODS_BLOCKS_H

#include "boncut/methods/method.h"

/*
 * Shared by all methods that overwrite blocks of one file: a file for each worker, whose units are
 * blocks.
 */

/* Makes and fills the file, and opens it with these additional flags of open(2). */
int blocks_begin(struct work *w, int flags);

void blocks_end(struct work *w);

/* Overwrites one block, with flags of pwritev2(2). */
int blocks_write(struct work *w, uint32_t block, uint64_t version, int flags);

/*
 * Judges every block: none of its sectors may be older than promised. A block that is newer, or of
 * two versions, was being written when the power went.
 */
void blocks_judge(struct judging *j, unsigned worker);

/* Number of blocks of a worker's file. */
uint32_t blocks_of(const struct header *h, unsigned method);

#endif
