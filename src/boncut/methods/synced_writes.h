#ifndef BONCUT_METHODS_SYNCED_WRITES_H
#define BONCUT_METHODS_SYNCED_WRITES_H

#include "boncut/methods/method.h"

/* One write that is durable when it returns: O_DSYNC, RWF_DSYNC, O_DIRECT with O_DSYNC. */
int dsync_begin(struct work *w);
int direct_dsync_begin(struct work *w);
int rwf_dsync_begin(struct work *w);
int dsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);
int rwf_dsync_step(struct work *w, uint32_t unit, const uint64_t versions[]);

#endif
