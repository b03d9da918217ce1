#ifndef BONCUT_METHODS_UNLINK_H
#define BONCUT_METHODS_UNLINK_H

#include "boncut/methods/method.h"

/* The method removes a name, and syncs the directory: the name must not come back. */
int unlink_begin(struct work *w);
int unlink_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void unlink_judge(struct judging *j, unsigned worker);

#endif
