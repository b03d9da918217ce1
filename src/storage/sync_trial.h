// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/device.h"
#include "util/err.h"

/* A trial of fsync(2): overwrites one block of a file and syncs it, again and again, in a private
 * directory that is removed afterwards. */
struct sync_trial {
    uint64_t median_ns; /* of the durations of the syncs */
    uint64_t slowest_ns;
    bool is_pretended; /* syncs returned, and none reached a drive (measure/durability.h) */
};

/* At most this number of syncs. */
#define MAX_SYNC_TRIAL 200

/* Makes a trial of so many syncs in the directory `path`, which is on d. Returns 0, or a negative
 * errno with a line in e. */
int sync_trial_run(struct sync_trial *t, const char *path, const struct device_set *d,
                   unsigned syncs, bool trusts, struct err *e);
