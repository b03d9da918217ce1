#ifndef BONCUT_METHODS_CONTROL_H
#define BONCUT_METHODS_CONTROL_H

#include "boncut/methods/method.h"

/*
 * The control groups make nothing durable. They number their writes, which go round the blocks in
 * turn.
 */
int cached_begin(struct work *w);
int drive_begin(struct work *w);
int control_step(struct work *w, uint32_t unit, const uint64_t versions[]);

/*
 * Counts the blocks that are older than the last write to them, which is expected of a cut.
 * Unreadable and foreign blocks do not count: they say nothing about one.
 */
void control_judge(struct judging *j, unsigned worker);

#endif
