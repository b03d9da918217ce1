// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

#include "util/err.h"
#include "util/partition.h"

/*
 * Computes the size of every body that is written from the body's number and the seed. Sizes are
 * constant, uniform between two sizes, or fair: the range is divided into equal buckets, and a
 * bucket is drawn with a weight of 1/size (the size in its middle), so all buckets move about as
 * many bytes. Within a bucket, sizes are uniform. There are never more buckets than sizes.
 */
struct sizes {
    /* The caller sets these. */
    uint64_t least;
    uint64_t most;
    uint64_t buckets;     /* 0: sizes are uniform */
    struct stripe stripe; /* numbers of this rank, if there are several */

    uint64_t seed_key;
    double *up_to; /* for each bucket, the share of requests in it and all buckets before it */
};

/* Returns 0, or -ENOMEM with a line in e; then there is nothing to close. */
int sizes_open(struct sizes *s, uint64_t seed, struct err *e);
void sizes_close(struct sizes *s);

/* Size in bytes of the body with this rank's number. */
uint64_t sizes_of(const struct sizes *s, uint64_t number);
