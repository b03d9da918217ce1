#ifndef BONCUT_METHODS_CREATE_H
#define BONCUT_METHODS_CREATE_H

#include "boncut/methods/method.h"

/* The method syncs a new file and then its directory, and promises the file's name and contents. */
int create_begin(struct work *w);
int create_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void create_judge(struct judging *j, unsigned worker);

#endif
