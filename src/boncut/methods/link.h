#ifndef BONCUT_METHODS_LINK_H
#define BONCUT_METHODS_LINK_H

#include "boncut/methods/method.h"

/* The method gives a file another name, and syncs both the file and its directory. */
int link_begin(struct work *w);
int link_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void link_judge(struct judging *j, unsigned worker);

#endif
