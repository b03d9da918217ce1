#ifndef BONCUT_METHODS_CREATE_H
#define BONCUT_METHODS_CREATE_H

#include "boncut/methods/method.h"

/* A new file is synced, and then its directory: name and contents are promised. */
int create_begin(struct work *w);
int create_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void create_judge(struct judging *j, unsigned worker);

#endif
