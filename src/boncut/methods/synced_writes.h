#ifndef BONCUT_METHODS_SYNCED_WRITES_H
#define BONCUT_METHODS_SYNCED_WRITES_H

#include "boncut/methods/method.h"

/*
 * The methods make one write that is durable when it returns: with O_DSYNC, RWF_DSYNC, or O_DIRECT
 * and O_DSYNC.
 */
int dsync_begin(struct work *w);
int direct_dsync_begin(struct work *w);
int rwf_dsync_begin(struct work *w);
int dsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int rwf_dsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);

#endif
