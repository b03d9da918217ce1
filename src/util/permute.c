#include "util/permute.h"

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

static uint64_t network(const struct permutation *p, uint64_t value)
{
    uint64_t mask = (UINT64_C(1) << p->half_bits) - 1;
    uint64_t left = value >> p->half_bits;
    uint64_t right = value & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t mixed = rng_mix(right ^ p->key ^ (round << 56)) & mask;
        uint64_t next = left ^ mixed;
        left = right;
        right = next;
    }
    return left << p->half_bits | right;
}

uint64_t permutation_at(const struct permutation *p, uint64_t index)
{
    do {
        index = network(p, index);
    } while (index >= p->count);
    return index;
}
