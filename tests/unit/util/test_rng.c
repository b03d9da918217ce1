// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

/* ---- permutations ------------------------------------------------------------------------- */

/* The permutation reaches every number below count exactly once: there are as many results as
 * numbers, and no result comes twice. */
static void expect_bijection(uint64_t count, uint64_t key)
{
    struct permutation p;
    permutation_init(&p, count, key);
    bool *seen = calloc(count, sizeof *seen);
    assert_non_null(seen);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t image = permutation_at(&p, i);
        assert_true(image < count);
        assert_false(seen[image]);
        seen[image] = true;
    }
    free(seen);
}

static void every_small_count(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= 300; count++)
        expect_bijection(count, count * 7919);
}

static void counts_around_powers_of_four(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        expect_bijection(counts[i], 0);
}

static void a_large_prime(void **state)
{
    (void)state;
    expect_bijection(100003, 0);
    expect_bijection(100003, UINT64_MAX);
}

static void largest_count_stays_inside(void **state)
{
    (void)state;
    struct permutation p;
    uint64_t count = UINT64_C(1) << 62;
    permutation_init(&p, count, 99);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(permutation_at(&p, count - 1 - i) < count);
}

/* For how many of the numbers below count two keys give the same position. */
static int agreements(uint64_t count, uint64_t key1, uint64_t key2)
{
    struct permutation one, two;
    permutation_init(&one, count, key1);
    permutation_init(&two, count, key2);
    int equal = 0;
    for (uint64_t i = 0; i < count; i++)
        equal += permutation_at(&one, i) == permutation_at(&two, i);
    return equal;
}

/* Two unrelated orders have about one position in common, however many numbers there are. */
static void key_changes_the_order(void **state)
{
    (void)state;
    assert_int_equal(agreements(10000, 5, 5), 10000);
    assert_in_range(agreements(10000, 5, 6), 0, 10);
    assert_in_range(agreements(10000, 0, UINT64_C(1) << 63), 0, 10);
}

/* In a random order about half of all steps go up. */
static void order_is_not_sorted(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    struct permutation p;
    permutation_init(&p, COUNT, 12345);
    int up = 0, neighbours = 0;
    for (uint64_t i = 1; i < COUNT; i++) {
        uint64_t before = permutation_at(&p, i - 1);
        uint64_t now = permutation_at(&p, i);
        up += now > before;
        neighbours += now == before + 1;
    }
    assert_in_range(up, 4700, 5300);
    assert_in_range(neighbours, 0, 10);
}

/* A seed gives the same places and the same order of files on every machine. Calculated by another
 * program with the same rounds. */
static void the_order_is_the_same_everywhere(void **state)
{
    (void)state;
    static const uint64_t three[] = {0, 2, 1}, ten[] = {1, 2, 5, 7, 3, 4, 8, 9, 0, 6};
    struct permutation p;
    permutation_init(&p, 3, 7);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(permutation_at(&p, i), three[i]);
    permutation_init(&p, 10, 42);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(permutation_at(&p, i), ten[i]);
    permutation_init(&p, 1000003, 42);
    assert_int_equal(permutation_at(&p, 999), 650324);
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
        cmocka_unit_test(every_small_count),
        cmocka_unit_test(counts_around_powers_of_four),
        cmocka_unit_test(a_large_prime),
        cmocka_unit_test(largest_count_stays_inside),
        cmocka_unit_test(key_changes_the_order),
        cmocka_unit_test(order_is_not_sorted),
        cmocka_unit_test(the_order_is_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
