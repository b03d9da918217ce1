#ifndef BONNIE_UTIL_RNG_H
#define BONNIE_UTIL_RNG_H

#include <stdint.h>

/*
 * Random numbers that a seed makes repeatable: xoshiro256** by Blackman and Vigna (2018), seeded
 * through splitmix64 as its authors advise. Not for secrets.
 */
struct rng {
    uint64_t state[4];
};

/* Mixes one 64-bit word thoroughly (the finaliser of splitmix64): a stateless hash. */
uint64_t rng_mix(uint64_t word);

/* Starts r at a point that depends on seed and stream; different streams do not overlap. */
void rng_init(struct rng *r, uint64_t seed, uint64_t stream);

/* The next 64 random bits. */
uint64_t rng_next(struct rng *r);

/* A number in 0 .. bound-1, every one equally likely (Lemire 2019); bound must not be 0. */
uint64_t rng_below(struct rng *r, uint64_t bound);

#endif
