#ifndef BONCUT_METHODS_RENAME_H
#define BONCUT_METHODS_RENAME_H

#include "boncut/methods/method.h"

/* The method moves a file from one directory to another, and syncs both. */
int rename_begin(struct work *w);
int rename_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void rename_judge(struct judging *j, unsigned worker);

#endif
