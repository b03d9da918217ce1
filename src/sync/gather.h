// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sync/coordinator.h"
#include "util/bundle.h"
#include "util/err.h"

/*
 * A meeting at which the figures of all ranks become one, in rank 0: each rank brings a bundle, and
 * what a rank brought that cannot be read is a failure. Fields without a comment are those of
 * struct meeting.
 */
struct gather {
    const char *name;
    struct bundle mine; /* what this rank brings; gather() releases it */
    /*
     * Called in rank 0 for each rank, itself first. Returns false when it cannot read the bundle,
     * or has no memory for what is in it.
     */
    bool (*take)(void *context, unsigned rank, struct bundle_reader *brought);
    void (*decide)(void *context);
    void *context;
    void *answer;
    size_t answer_bytes;
    bool compares_clocks;
    bool is_last;
    const char *left;
};

/* Meets the other ranks. Returns 0, or a negative errno with a line in e. */
int gather(struct coordinator *c, struct gather *g, struct err *e);
