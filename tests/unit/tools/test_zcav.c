// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/zcav_figures.h"

/* Adds a range. Returns whether it touches none of the others. */
static bool add(struct bad_ranges *b, uint64_t offset, uint64_t bytes)
{
    struct err e;
    bool is_new;
    const struct bad_range range = {.offset = offset, .bytes = bytes, .code = EIO};
    err_init(&e);
    assert_int_equal(bad_ranges_add(b, &range, &is_new, &e), 0);
    return is_new;
}

static void expect(const struct bad_ranges *b, size_t at, uint64_t offset, uint64_t bytes)
{
    assert_true(at < b->count);
    assert_int_equal(b->ranges[at].offset, offset);
    assert_int_equal(b->ranges[at].bytes, bytes);
}

static uint64_t bytes_of(const struct bad_ranges *b)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < b->count; i++)
        bytes += b->ranges[i].bytes;
    return bytes;
}

static void ranges_are_sorted_and_joined(void **state)
{
    struct bad_ranges b = {0};
    (void)state;
    assert_true(add(&b, 100, 10));
    assert_true(add(&b, 50, 10));
    assert_true(add(&b, 200, 10));
    assert_int_equal(b.count, 3);
    expect(&b, 0, 50, 10);
    assert_false(add(&b, 110, 10)); /* the range is after the others */
    expect(&b, 1, 100, 20);
    assert_false(add(&b, 90, 10)); /* the range is before the others */
    expect(&b, 1, 90, 30);
    assert_false(add(&b, 95, 10)); /* the range is within another */
    expect(&b, 1, 90, 30);
    assert_false(add(&b, 55, 150)); /* the range surrounds all others */
    assert_int_equal(b.count, 1);
    expect(&b, 0, 50, 160);
    assert_int_equal(bytes_of(&b), 160);
    free(b.ranges);
}

/* In whatever order ranges are added, they contain the right bytes. A map of the bytes is the
 * comparison. */
static void ranges_hold_what_was_added(void **state)
{
    enum { SIZE = 400 };
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        struct bad_ranges b = {0};
        bool is_bad[SIZE + 20] = {false};
        for (int i = 0; i < 40; i++) {
            unsigned offset = (unsigned)rand() % SIZE;
            unsigned bytes = 1 + (unsigned)rand() % 20;
            add(&b, offset, bytes);
            for (unsigned at = offset; at < offset + bytes; at++)
                is_bad[at] = true;
        }
        uint64_t bytes = 0;
        for (unsigned at = 0; at < SIZE + 20; at++)
            bytes += is_bad[at];
        assert_int_equal(bytes_of(&b), bytes);
        for (size_t i = 0; i < b.count; i++) {
            for (uint64_t at = 0; at < b.ranges[i].bytes; at++)
                assert_true(is_bad[b.ranges[i].offset + at]);
            if (i > 0)
                assert_true(b.ranges[i - 1].offset + b.ranges[i - 1].bytes < b.ranges[i].offset);
        }
        free(b.ranges);
    }
}

static void middle_is_the_mean_of_the_middle_third(void **state)
{
    struct zcav_block passes[] = {{100, 900}, {100, 10}, {100, 30}, {100, 20}, {100, 40}, {100, 1}};
    (void)state;
    struct zcav_block middle = zcav_middle(passes, 6, 100);
    assert_int_equal(middle.bytes, 100);
    assert_int_equal(middle.nanoseconds, 25); /* the mean of the middle two, 20 and 30 */
    struct zcav_block two[] = {{100, 10}, {100, 30}};
    assert_int_equal(zcav_middle(two, 2, 100).nanoseconds, 20);
    struct zcav_block part[] = {{50, 10}};
    assert_int_equal(zcav_middle(part, 1, 100).nanoseconds, 20); /* at the rate of that part */
}

static void what_failed_has_no_figure(void **state)
{
    struct zcav_block some[] = {{0, 5}, {100, 10}, {0, 5}};
    struct zcav_block none[] = {{0, 5}, {0, 5}};
    (void)state;
    assert_int_equal(zcav_middle(some, 3, 100).nanoseconds, 10);
    assert_int_equal(zcav_middle(none, 2, 100).bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_sorted_and_joined),
        cmocka_unit_test(ranges_hold_what_was_added),
        cmocka_unit_test(middle_is_the_mean_of_the_middle_third),
        cmocka_unit_test(what_failed_has_no_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
