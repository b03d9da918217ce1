#ifndef BONCUT_METHODS_LINK_H
#define BONCUT_METHODS_LINK_H

#include "boncut/methods/method.h"

/* A file gets another name, and both the file and the directory are synced. */
int link_begin(struct work *w);
int link_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void link_judge(struct judging *j, unsigned worker);

#endif
