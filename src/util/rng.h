// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* A permutation of 0 .. count-1 that a key selects, computed and not stored: a balanced Feistel
 * network over the next power of four, walked until the result is inside the range (Black and
 * Rogaway 2002, "cycle walking"; fewer than four steps on average). */
struct permutation {
    uint64_t count;
    uint64_t key;
    unsigned half_bits; /* width of each half of the network */
};

/* Prepares the permutation of 0 .. count-1 that `key` selects. `count` may be 0 .. 2^62. */
void permutation_init(struct permutation *p, uint64_t count, uint64_t key);

/* The number to which `index` is mapped, which must be below count. */
uint64_t permutation_at(const struct permutation *p, uint64_t index);

/* Random numbers that a seed makes repeatable: xoshiro256** by Blackman and Vigna (2018), seeded
 * with splitmix64 as its authors advise. Not for secrets. */
struct rng {
    uint64_t state[4];
};

/* 2^64 divided by the golden ratio: splitmix64's increment. */
#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* Mixes a 64-bit word thoroughly (the finaliser of splitmix64): a hash without a state.
 * Inline, as rng_next() and rng_below(): every operation needs it. */
static inline uint64_t rng_mix(uint64_t word)
{
    word += GOLDEN_GAMMA;
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* The largest seed: jq and JavaScript know whole numbers in JSON exactly up to this one. */
#define SEED_MAX ((UINT64_C(1) << 53) - 1)

/* Starts r at a point that depends on seed and stream. Different streams do not overlap. */
void rng_init(struct rng *r, uint64_t seed, uint64_t stream);

static inline uint64_t rng_rotate_left(uint64_t word, int bits)
{
    return (word << bits) | (word >> (64 - bits));
}

/* The next 64 random bits. Inline, as is rng_below(): every operation draws a place with it. */
static inline uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->state;
    uint64_t value = rng_rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rng_rotate_left(s[3], 45);
    return value;
}

/* A number in 0 .. bound-1, all of them equally likely (Lemire 2019). `bound` must not be 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t bound)
{
    uint128 product = (uint128)rng_next(r) * bound;
    if ((uint64_t)product < bound) {
        /* 2^64 mod bound: the number of results that would be too likely */
        uint64_t unfair = -bound % bound;
        while ((uint64_t)product < unfair)
            product = (uint128)rng_next(r) * bound;
    }
    return (uint64_t)(product >> 64);
}
