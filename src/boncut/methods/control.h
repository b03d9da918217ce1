#ifndef BONCUT_METHODS_CONTROL_H
#define BONCUT_METHODS_CONTROL_H

#include "boncut/methods/method.h"

/*
 * The control groups, which make nothing durable. Their version counts writes, which go round the
 * blocks in turn.
 */
int cached_begin(struct work *w);
int drive_begin(struct work *w);
int control_step(struct work *w, uint32_t unit, const uint64_t versions[]);

/*
 * Counts the blocks that are older than the last write to them, which is never a fault. Unreadable
 * or foreign blocks say nothing about a cut.
 */
void control_judge(struct judging *j, unsigned worker);

#endif
