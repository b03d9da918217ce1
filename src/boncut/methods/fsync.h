#ifndef BONCUT_METHODS_FSYNC_H
#define BONCUT_METHODS_FSYNC_H

#include "boncut/methods/method.h"

/*
 * The methods overwrite a block of a file, or append a block to another file, and call fsync(2) or
 * fdatasync(2).
 */
int fsync_begin(struct work *w);
int fsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int fdatasync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void fsync_end(struct work *w);
void fsync_judge(struct judging *j, unsigned worker);

#endif
