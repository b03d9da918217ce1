#include "util/rng.h"

/* 2^64 divided by the golden ratio: splitmix64's increment. */
#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

__extension__ typedef unsigned __int128 uint128;

uint64_t rng_mix(uint64_t word)
{
    word += GOLDEN_GAMMA;
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream)
{
    uint64_t point = rng_mix(seed) ^ rng_mix(~stream);
    for (int i = 0; i < 4; i++) {
        r->state[i] = rng_mix(point);
        point += GOLDEN_GAMMA;
    }
}

static uint64_t rotate_left(uint64_t word, int bits)
{
    return (word << bits) | (word >> (64 - bits));
}

uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->state;
    uint64_t value = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return value;
}

uint64_t rng_below(struct rng *r, uint64_t bound)
{
    uint128 product = (uint128)rng_next(r) * bound;
    if ((uint64_t)product < bound) {
        uint64_t unfair = -bound % bound; /* 2^64 mod bound: so many results would be too likely */
        while ((uint64_t)product < unfair)
            product = (uint128)rng_next(r) * bound;
    }
    return (uint64_t)(product >> 64);
}
