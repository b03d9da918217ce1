#ifndef BONCUT_METHODS_REPLACE_H
#define BONCUT_METHODS_REPLACE_H

#include "boncut/methods/method.h"

/*
 * The method writes a new file, syncs it, renames it over the old one, and syncs the directory: at
 * any time the old file or the new one exists as a whole.
 */
int replace_begin(struct work *w);
int replace_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void replace_judge(struct judging *j, unsigned worker);

#endif
