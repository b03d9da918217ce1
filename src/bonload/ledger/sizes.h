#ifndef BONLOAD_LEDGER_SIZES_H
#define BONLOAD_LEDGER_SIZES_H

#include <stdint.h>

#include "util/err.h"
#include "util/partition.h"

/*
 * The size of every body that is written, computed from its number and the seed: constant, uniform
 * between two sizes, or fair: the range is divided into equal buckets, and each is drawn with a
 * weight of 1/size (its middle), so that all move as many bytes; within a bucket sizes are uniform.
 * There are no more buckets than sizes.
 */
struct sizes {
    uint64_t seed_key;
    uint64_t least;
    uint64_t most;
    uint64_t buckets; /* 0: uniform */
    double *up_to;    /* for each bucket, the share of requests in it and those before */
    struct stripe stripe;
};

struct sizes_setup {
    uint64_t least;
    uint64_t most;
    uint64_t fair_buckets; /* 0: uniform */
    uint64_t seed;
    struct stripe stripe; /* with several ranks: the numbers of this rank */
};

int sizes_open(struct sizes *s, const struct sizes_setup *setup, struct err *e);
uint64_t sizes_of(const struct sizes *s, uint64_t number);
void sizes_close(struct sizes *s);

#endif
