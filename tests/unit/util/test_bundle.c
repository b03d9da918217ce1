// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares add up to the whole, and a bundle delivers its contents unchanged. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bundle.h"
#include "util/partition.h"
#include "util/rng.h"

static void shares_add_up(void **state)
{
    static const uint64_t totals[] = {0, 1, 2, 7, 1000, 333333333333};
    (void)state;
    for (size_t t = 0; t < sizeof totals / sizeof *totals; t++) {
        for (unsigned ranks = 1; ranks <= 9; ranks++) {
            uint64_t sum = 0;
            for (unsigned i = 0; i < ranks; i++) {
                const struct stripe s = {.others = ranks - 1, .index = i};
                uint64_t count = stripe_count(&s, totals[t]);
                assert_in_range(count, totals[t] / ranks, totals[t] / ranks + 1);
                sum += count;
            }
            assert_int_equal(sum, totals[t]);
        }
    }
}

/* Each number is dealt to exactly one share, and no number is beyond the total. */
static void numbers_are_dealt_once(void **state)
{
    enum { TOTAL = 100 };
    (void)state;
    for (unsigned ranks = 1; ranks <= 9; ranks++) {
        char seen[TOTAL + 1] = "";
        for (unsigned i = 0; i < ranks; i++) {
            const struct stripe s = {.others = ranks - 1, .index = i};
            for (uint64_t n = 1; n <= stripe_count(&s, TOTAL); n++) {
                assert_in_range(stripe_number(&s, n), 1, TOTAL);
                assert_int_equal(seen[stripe_number(&s, n)]++, 0);
            }
        }
    }
}

/* An object of each length, which is mostly zeros. */
static void objects_arrive(void **state)
{
    enum { MOST = 100 };
    unsigned char sent[MOST][MOST] = {{0}};
    unsigned char got[MOST];
    struct bundle b = {0};
    struct rng rng;
    (void)state;
    rng_init(&rng, 1, 0);
    for (size_t bytes = 1; bytes < MOST; bytes++) {
        for (int i = 0; i < 5; i++)
            sent[bytes][rng_below(&rng, bytes)] = (unsigned char)rng_next(&rng);
        bundle_put(&b, sent[bytes], bytes);
    }
    assert_false(b.is_short);
    struct bundle_reader in = {.at = (unsigned char *)b.words, .bytes = bundle_bytes(&b)};
    for (size_t bytes = 1; bytes < MOST; bytes++) {
        memset(got, 0xff, sizeof got);
        assert_true(bundle_take(&in, got, bytes));
        assert_memory_equal(got, sent[bytes], bytes);
        assert_true(bytes == MOST - 1 || got[bytes] == 0xff);
    }
    assert_int_equal(in.bytes, 0);
    bundle_release(&b);
}

static void zeros_take_no_room(void **state)
{
    static uint64_t words[100000];
    struct bundle b = {0};
    (void)state;
    words[77777] = 5;
    bundle_put(&b, words, sizeof words);
    assert_in_range(bundle_bytes(&b), 1, 64);
    bundle_release(&b);
}

static void what_was_cut_off_is_refused(void **state)
{
    uint64_t words[4] = {1, 2, 3, 4};
    struct bundle b = {0};
    (void)state;
    bundle_put(&b, words, sizeof words);
    for (size_t bytes = 0; bytes < bundle_bytes(&b); bytes += 8) {
        struct bundle_reader in = {.at = (unsigned char *)b.words, .bytes = bytes};
        assert_false(bundle_take(&in, words, sizeof words));
    }
    struct bundle_reader other = {.at = (unsigned char *)b.words, .bytes = bundle_bytes(&b)};
    assert_false(bundle_take(&other, words, sizeof words - 8));
    b.words[2] = 4; /* the index of the first word, of which there are only 4 */
    struct bundle_reader beyond = {.at = (unsigned char *)b.words, .bytes = bundle_bytes(&b)};
    assert_false(bundle_take(&beyond, words, sizeof words));
    bundle_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(numbers_are_dealt_once),
        cmocka_unit_test(objects_arrive),
        cmocka_unit_test(zeros_take_no_room),
        cmocka_unit_test(what_was_cut_off_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
