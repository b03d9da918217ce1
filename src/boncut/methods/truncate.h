#ifndef BONCUT_METHODS_TRUNCATE_H
#define BONCUT_METHODS_TRUNCATE_H

#include "boncut/methods/method.h"

/* The method changes the size of a file by one byte, and syncs the file. */
int truncate_begin(struct work *w);
int truncate_step(struct work *w, uint32_t unit, const uint64_t versions[]);
void truncate_judge(struct judging *j, unsigned worker);

#endif
