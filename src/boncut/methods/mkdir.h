#ifndef BONCUT_METHODS_MKDIR_H
#define BONCUT_METHODS_MKDIR_H

#include "boncut/methods/method.h"

/* The method makes a directory, and syncs it and its parent. */
int mkdir_begin(struct work *w);
int mkdir_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void mkdir_judge(struct judging *j, unsigned worker);

#endif
