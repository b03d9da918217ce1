#ifndef BONCUT_METHODS_URING_FSYNC_H
#define BONCUT_METHODS_URING_FSYNC_H

#include "boncut/methods/method.h"

/*
 * The method links a write and an fsync in io_uring: both must complete in full before it promises.
 */
int uring_fsync_begin(struct work *w);
int uring_fsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void uring_fsync_end(struct work *w);

#endif
