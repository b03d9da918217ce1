#ifndef BONCUT_METHODS_REPLACE_H
#define BONCUT_METHODS_REPLACE_H

#include "boncut/methods/method.h"

/*
 * A new file is written, synced, and renamed over the old one, and the directory is synced: at any
 * time the old file or the new one exists as a whole.
 */
int replace_begin(struct work *w);
int replace_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void replace_judge(struct judging *j, unsigned worker);

#endif
