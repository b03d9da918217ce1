// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/device.h"
#include "util/err.h"

/* A trial of fsync(2): overwrites one block of a file and syncs it, again and again. */
struct sync_trial {
    uint64_t median_ns; /* of the durations of the syncs */
    uint64_t slowest_ns;
    bool is_pretended; /* syncs returned, and none reached a drive (measure/durability.h) */
};

/* Makes a trial of so many syncs in a private directory below `path`, which is on d. Returns 0, or
 * a negative errno with a line in e. */
#define MAX_SYNC_TRIAL 200
int sync_trial_run(struct sync_trial *t, const char *path, const struct device_set *d,
                   unsigned syncs, bool trusts, struct err *e);
