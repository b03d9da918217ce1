// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/rng.h"

#define ROUNDS 4 /* enough for a strong pseudo-random permutation (Luby and Rackoff 1988) */

void permutation_init(struct permutation *p, uint64_t count, uint64_t key)
{
    p->count = count;
    p->key = key;
    p->half_bits = 1;
    while ((UINT64_C(1) << (2 * p->half_bits)) < count)
        p->half_bits++;
}

uint64_t permutation_at(const struct permutation *p, uint64_t index)
{
    uint64_t mask = (UINT64_C(1) << p->half_bits) - 1;
    do {
        uint64_t left = index >> p->half_bits;
        uint64_t right = index & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t next = left ^ (rng_mix(right ^ p->key ^ (round << 56)) & mask);
            left = right;
            right = next;
        }
        index = left << p->half_bits | right;
    } while (index >= p->count);
    return index;
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream)
{
    uint64_t point = rng_mix(seed) ^ rng_mix(~stream);
    for (int i = 0; i < 4; i++) {
        r->state[i] = rng_mix(point);
        point += GOLDEN_GAMMA;
    }
}
