#ifndef BONCUT_METHODS_RENAME_H
#define BONCUT_METHODS_RENAME_H

#include "boncut/methods/method.h"

/* A file is moved from one directory to another, and both are synced. */
int rename_begin(struct work *w);
int rename_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void rename_judge(struct judging *j, unsigned worker);

#endif
