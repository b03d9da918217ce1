#ifndef UTIL_PERMUTE_H
#define UTIL_PERMUTE_H

#include <stdint.h>

/*
 * A permutation of 0 .. count-1 that a key selects. It is computed and not stored: a balanced
 * Feistel network over the next power of four, walked until the result is inside the range (Black
 * and Rogaway 2002, "cycle walking"; fewer than four steps on average).
 */
struct permutation {
    uint64_t count;
    uint64_t key;
    unsigned half_bits; /* width of each half of the network */
};

/* Prepares the permutation of 0 .. count-1 that `key` selects. `count` may be 0 .. 2^62. */
void permutation_init(struct permutation *p, uint64_t count, uint64_t key);

/* The number to which `index` is mapped, which must be below count. */
uint64_t permutation_at(const struct permutation *p, uint64_t index);

#endif
