#ifndef BONCUT_METHODS_SYNCFS_H
#define BONCUT_METHODS_SYNCFS_H

#include "boncut/methods/method.h"

/* The method overwrites several blocks, and calls syncfs(2), which makes all of them durable. */
#define SYNCFS_BATCH 8
int syncfs_begin(struct work *w);
int syncfs_step(struct work *w, uint32_t unit, const uint64_t versions[]);

#endif
