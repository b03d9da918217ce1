#ifndef BONCUT_METHODS_NEW_NAME_H
#define BONCUT_METHODS_NEW_NAME_H

#include "boncut/methods/method.h"

/*
 * A new file is synced, but not its directory: POSIX promises nothing about its name. Whether the
 * name exists is counted as a fact.
 */
int new_name_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void new_name_judge(struct judging *j, unsigned worker);

#endif
