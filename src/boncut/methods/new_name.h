#ifndef BONCUT_METHODS_NEW_NAME_H
#define BONCUT_METHODS_NEW_NAME_H

#include "boncut/methods/method.h"

/*
 * The method syncs a new file, but not its directory: POSIX promises nothing about the file's name.
 * `check` counts as a fact whether the name exists.
 */
int new_name_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void new_name_judge(struct judging *j, unsigned worker);

#endif
