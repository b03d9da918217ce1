#ifndef BONCUT_METHODS_TAIL_H
#define BONCUT_METHODS_TAIL_H

#include "boncut/methods/method.h"

/*
 * A worker's tail is a unit that grows by one block with each version. When a file has --units
 * blocks, the next block goes to a new file, and the old file is removed once the new one is
 * durable.
 */

/*
 * Appends the block with `version`, which must be one more than the last, and syncs the file with
 * `sync`, named `call` in messages.
 */
int tail_append(struct work *w, uint64_t version, const char *call, int (*sync)(int fd));

void tail_end(struct work *w);

/*
 * Judges the tail: the file with the promised version must be long enough, and sound up to that
 * version; or it is gone, and the first block of a later file is sound. A file that was begun just
 * before the cut may be empty: then the one before it is still there.
 */
void tail_judge(struct judging *j, unsigned worker);

#endif
