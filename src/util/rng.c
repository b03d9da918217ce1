#include "util/rng.h"

/* 2^64 divided by the golden ratio: splitmix64's increment. */
#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

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
