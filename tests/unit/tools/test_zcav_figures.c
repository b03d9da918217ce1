// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/zcav_figures.h"

enum { SIZE = 400 };

/* Adds a range of MiB. Returns whether it touches none of the others. */
static bool add(struct bad_map *m, uint64_t offset, uint64_t count)
{
    return bad_map_add(m, offset * MIB, count * MIB, EIO);
}

/* The next range is this one, in MiB; `count` 0: there is none. */
static void expect(const struct bad_map *m, struct bad_range *r, uint64_t offset, uint64_t count)
{
    assert_int_equal(bad_map_next(m, r), count > 0);
    assert_int_equal(r->bytes, count * MIB);
    if (count > 0) {
        assert_int_equal(r->offset, offset * MIB);
        assert_int_equal(r->code, EIO);
    }
}

static void ranges_are_sorted_and_joined(void **state)
{
    unsigned char codes[SIZE + 1] = {0};
    struct bad_map m = {codes, SIZE};
    struct bad_range r = {0};
    (void)state;
    expect(&m, &r, 0, 0);
    assert_true(add(&m, 100, 10));
    assert_true(add(&m, 50, 10));
    assert_true(add(&m, 200, 10));
    r = (struct bad_range){0};
    expect(&m, &r, 50, 10);
    expect(&m, &r, 100, 10);
    expect(&m, &r, 200, 10);
    expect(&m, &r, 0, 0);
    assert_false(add(&m, 110, 10)); /* the range is after the others */
    assert_false(add(&m, 90, 10));  /* the range is before the others */
    assert_false(add(&m, 95, 10));  /* the range is within another */
    r = (struct bad_range){0};
    expect(&m, &r, 50, 10);
    expect(&m, &r, 90, 30);
    assert_true(add(&m, 0, 1));
    assert_true(add(&m, SIZE - 1, 1)); /* both ends of the device */
    r = (struct bad_range){0};
    expect(&m, &r, 0, 1);
}

/* In whatever order ranges are added, they contain the right bytes. */
static void ranges_hold_what_was_added(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        unsigned char codes[SIZE + 21] = {0};
        struct bad_map m = {codes, SIZE + 20};
        bool is_bad[SIZE + 20] = {false};
        for (int i = 0; i < 40; i++) {
            unsigned offset = (unsigned)rand() % SIZE;
            unsigned count = 1 + (unsigned)rand() % 20;
            add(&m, offset, count);
            for (unsigned at = offset; at < offset + count; at++)
                is_bad[at] = true;
        }
        unsigned at = 0;
        for (struct bad_range r = {0}; bad_map_next(&m, &r);) {
            for (; at < r.offset / MIB; at++)
                assert_false(is_bad[at]);
            for (; at < (r.offset + r.bytes) / MIB; at++)
                assert_true(is_bad[at]);
        }
        for (; at < SIZE + 20; at++)
            assert_false(is_bad[at]);
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
