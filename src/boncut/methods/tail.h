#ifndef BONCUT_METHODS_TAIL_H
#define BONCUT_METHODS_TAIL_H

#include "boncut/methods/method.h"

/*
 * A worker's tail: a unit that grows by a block with each version. When a file has as many blocks
 * as --units says, the next block goes to a new file, and the old file is removed once the new one
 * is durable.
 */

/* Appends block number `version`, which follows the previous one, and makes it durable. */
int tail_append(struct work *w, uint64_t version, const char *call, int (*sync)(int fd));

void tail_end(struct work *w);

/*
 * Judges the unit: the file with the promised version must be long enough, and sound up to that
 * version; or a later file exists, which begins with a sound block.
 */
void tail_judge(struct judging *j, unsigned worker);

#endif
