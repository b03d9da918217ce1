// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/rng.h"

/* Published outputs of splitmix64 from the states 0 and 1234567. rng_mix() is one step of it, so a
 * wrong constant or shift would show. */
static void mix_is_splitmix64(void **state)
{
    (void)state;
    assert_true(rng_mix(0) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(rng_mix(1234567) == UINT64_C(6457827717110365317));
}

/* Known outputs of xoshiro256** from the state 1, 2, 3, 4; the first is easily worked out by
 * hand. */
static void next_is_xoshiro256(void **state)
{
    (void)state;
    struct rng r = {{1, 2, 3, 4}};
    assert_true(rng_next(&r) == 11520);
    assert_true(rng_next(&r) == 0);
    assert_true(rng_next(&r) == 1509978240);
    assert_true(rng_next(&r) == UINT64_C(1215971899390074240));
}

static void same_seed_same_numbers(void **state)
{
    (void)state;
    struct rng one, two;
    rng_init(&one, 42, 7);
    rng_init(&two, 42, 7);
    for (int i = 0; i < 1000; i++)
        assert_true(rng_next(&one) == rng_next(&two));
}

static int equal_numbers(uint64_t seed1, uint64_t stream1, uint64_t seed2, uint64_t stream2)
{
    struct rng one, two;
    rng_init(&one, seed1, stream1);
    rng_init(&two, seed2, stream2);
    int equal = 0;
    for (int i = 0; i < 1000; i++)
        equal += rng_next(&one) == rng_next(&two);
    return equal;
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    assert_int_equal(equal_numbers(42, 7, 43, 7), 0);
    assert_int_equal(equal_numbers(42, 7, 42, 8), 0);
    assert_int_equal(equal_numbers(0, 0, 0, 1), 0);
    assert_int_equal(equal_numbers(1, 0, 0, 1), 0);
}

static void below_stays_below(void **state)
{
    (void)state;
    static const uint64_t bounds[] = {1, 2, 3, 1000, UINT64_C(1) << 63, UINT64_MAX};
    struct rng r;
    rng_init(&r, 1, 1);
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        for (int draw = 0; draw < 1000; draw++)
            assert_true(rng_below(&r, bounds[i]) < bounds[i]);
    }
}

/* The seed is fixed, so these counts never change; the bounds are 6 standard deviations. */
static void below_is_even(void **state)
{
    (void)state;
    enum { BOUND = 10, DRAWS = 100000, EXPECTED = DRAWS / BOUND, SLACK = 570 };
    int seen[BOUND] = {0};
    struct rng r;
    rng_init(&r, 2, 2);
    for (int draw = 0; draw < DRAWS; draw++)
        seen[rng_below(&r, BOUND)]++;
    for (int i = 0; i < BOUND; i++)
        assert_in_range(seen[i], EXPECTED - SLACK, EXPECTED + SLACK);
}

/* With a bound of 3/4 of 2^64, a generator that does not reject would return multiples of three,
 * counted from the bottom, twice as often as the rest: half of the draws instead of a third. */
static void below_rejects_what_would_be_unfair(void **state)
{
    (void)state;
    enum { DRAWS = 30000, EXPECTED = DRAWS / 3, SLACK = 500 };
    uint64_t bound = UINT64_C(3) << 62;
    int multiples = 0;
    struct rng r;
    rng_init(&r, 3, 3);
    for (int draw = 0; draw < DRAWS; draw++)
        multiples += rng_below(&r, bound) % 3 == 0;
    assert_in_range(multiples, EXPECTED - SLACK, EXPECTED + SLACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mix_is_splitmix64),
        cmocka_unit_test(next_is_xoshiro256),
        cmocka_unit_test(same_seed_same_numbers),
        cmocka_unit_test(seeds_and_streams_differ),
        cmocka_unit_test(below_stays_below),
        cmocka_unit_test(below_is_even),
        cmocka_unit_test(below_rejects_what_would_be_unfair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
