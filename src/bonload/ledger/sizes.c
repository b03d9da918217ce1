// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/ledger/sizes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/rng.h"
#include "util/units.h"

/* The middle of the bucket of empty bodies, because weights divide by the middle. */
#define LEAST_MIDDLE .5

/* Gives sizes a stream of random numbers of their own, because names use the same seed. */
#define SIZE_STREAM UINT64_C(0x73697a6573)

/* The smallest size in a bucket; for s->buckets, the size after the largest one. */
static uint64_t first_of_bucket(const struct sizes *s, uint64_t bucket)
{
    return s->least + mul_div(s->most - s->least + 1, bucket, s->buckets);
}

int sizes_open(struct sizes *s, uint64_t seed, struct err *e)
{
    uint64_t range = s->most - s->least + 1;
    double sum = 0;
    s->seed_key = rng_mix(seed ^ SIZE_STREAM);
    if (s->buckets > range)
        s->buckets = range;
    if (s->buckets == 0 || range == 1)
        return 0;
    s->up_to = malloc(s->buckets * sizeof *s->up_to);
    if (!s->up_to)
        return err_system(e, ENOMEM, "memory for the buckets of sizes");
    for (uint64_t i = 0; i < s->buckets; i++) {
        double ends = (double)first_of_bucket(s, i) + (double)first_of_bucket(s, i + 1) - 1;
        s->up_to[i] = sum += 1 / fmax(ends / 2, LEAST_MIDDLE);
    }
    for (uint64_t i = 0; i < s->buckets; i++)
        s->up_to[i] /= sum;
    return 0;
}

void sizes_close(struct sizes *s)
{
    free(s->up_to);
    *s = (struct sizes){0};
}

/*
 * The bucket in which that share of all requests falls, with buckets in the order of their sizes.
 */
static uint64_t bucket_at(const struct sizes *s, double share)
{
    uint64_t low = 0;
    uint64_t high = s->buckets - 1;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (share < s->up_to[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t sizes_of(const struct sizes *s, uint64_t number)
{
    struct rng rng;
    if (s->least == s->most)
        return s->least;
    rng_init(&rng, s->seed_key, stripe_number(&s->stripe, number));
    if (s->buckets == 0)
        return s->least + rng_below(&rng, s->most - s->least + 1);
    uint64_t bucket = bucket_at(s, (double)(rng_next(&rng) >> 11) * 0x1p-53);
    uint64_t first = first_of_bucket(s, bucket);
    return first + rng_below(&rng, first_of_bucket(s, bucket + 1) - first);
}
