#ifndef BONCUT_METHODS_MSYNC_H
#define BONCUT_METHODS_MSYNC_H

#include "boncut/methods/method.h"

/* The method changes a block of a shared mapping, and syncs its pages with MS_SYNC. */
int msync_begin(struct work *w);
int msync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void msync_end(struct work *w);

#endif
