// SPDX-License-Identifier: GPL-2.0-or-later
/* Merging the time series of several ranks, slice by slice, including a rank that has missed
 * slices. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/load/series.h"
#include "util/units.h"

#define SLICE (BILLION / 10)

/* A series whose slices end at these tenths of a second. Each has this number of successful
 * writes. */
static void make(struct series *s, size_t room, const unsigned *ends, size_t count)
{
    assert_true(series_open(s, SLICE, room));
    for (size_t i = 0; i < count; i++) {
        struct slice_kind *k = &s->slices[i].kinds[LOAD_WRITE];
        s->slices[i].end_ns = ends[i] * SLICE;
        k->good = ends[i];
        k->max_ns = ends[i];
        k->heat[5] = ends[i];
    }
    s->count = count;
}

static uint64_t sum_of(const struct series *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->slices[i].kinds[LOAD_WRITE].good;
    return sum;
}

static void expect_ends(const struct series *s, const unsigned *ends, size_t count)
{
    assert_int_equal(s->count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(s->slices[i].end_ns, ends[i] * SLICE);
}

static void slices_of_one_time_are_one(void **state)
{
    struct series a;
    struct series b;
    const unsigned ends[] = {1, 2, 3};
    (void)state;
    make(&a, 10, ends, 3);
    make(&b, 10, ends, 2);
    assert_true(series_merge(&a, &b));
    expect_ends(&a, ends, 3);
    assert_int_equal(a.slices[1].kinds[LOAD_WRITE].good, 4);
    assert_int_equal(a.slices[1].kinds[LOAD_WRITE].heat[5], 4);
    assert_int_equal(a.slices[1].kinds[LOAD_WRITE].max_ns, 2);
    assert_int_equal(a.slices[2].kinds[LOAD_WRITE].good, 3);
    series_close(&a);
    series_close(&b);
}

/* A rank whose main thread was stopped has one long slice. */
static void a_slice_that_was_missed(void **state)
{
    struct series a;
    struct series b;
    const unsigned all[] = {1, 2, 3, 4, 5};
    const unsigned some[] = {1, 4, 5};
    (void)state;
    make(&a, 10, some, 3);
    make(&b, 10, all, 5);
    uint64_t sum = sum_of(&a) + sum_of(&b);
    assert_true(series_merge(&a, &b));
    assert_int_equal(sum_of(&a), sum);
    for (size_t i = 1; i < a.count; i++)
        assert_true(a.slices[i].end_ns >= a.slices[i - 1].end_ns);
    assert_int_equal(a.slices[a.count - 1].end_ns, 5 * SLICE);
    series_close(&a);
    series_close(&b);
}

/* One rank ran longer, so its slices are twice as long. */
static void slices_of_other_length(void **state)
{
    struct series a;
    struct series b;
    const unsigned odd[] = {1, 2, 3};
    const unsigned even[] = {2, 4, 6};
    (void)state;
    make(&a, 4, odd, 3);
    make(&b, 4, even, 3);
    b.slice_ns = 2 * SLICE;
    uint64_t sum = sum_of(&a) + sum_of(&b);
    assert_true(series_merge(&a, &b));
    assert_int_equal(a.slice_ns, 2 * SLICE);
    assert_int_equal(sum_of(&a), sum);
    expect_ends(&a, (const unsigned[]){2, 4, 6}, 3);
    series_close(&a);
    series_close(&b);
}

static void no_room_for_more(void **state)
{
    struct series a;
    struct series b;
    const unsigned early[] = {1, 2};
    const unsigned late[] = {9, 11};
    (void)state;
    make(&a, 2, early, 2);
    make(&b, 2, late, 2);
    uint64_t sum = sum_of(&a) + sum_of(&b);
    assert_true(series_merge(&a, &b));
    assert_int_equal(a.count, 2);
    assert_int_equal(sum_of(&a), sum);
    assert_int_equal(a.slices[1].end_ns, 11 * SLICE);
    series_close(&a);
    series_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_of_one_time_are_one),
        cmocka_unit_test(a_slice_that_was_missed),
        cmocka_unit_test(slices_of_other_length),
        cmocka_unit_test(no_room_for_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
