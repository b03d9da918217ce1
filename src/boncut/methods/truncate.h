#ifndef BONCUT_METHODS_TRUNCATE_H
#define BONCUT_METHODS_TRUNCATE_H

#include "boncut/methods/method.h"

/* A file changes its size by a byte, and is synced. */
int truncate_begin(struct work *w);
int truncate_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void truncate_judge(struct judging *j, unsigned worker);

#endif
