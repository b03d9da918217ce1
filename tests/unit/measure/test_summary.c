// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/summary.h"

/* Values worked out by hand, of which six digits must be right. */
static void expect(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * fabs(expected) + 1e-12)
        fail_msg("%.9g instead of %.9g", value, expected);
}

/* The differences to 20 are -10, 0, 10: the deviation is sqrt(200/2), the half 4.303*10/sqrt(3). */
static void three_runs(void **state)
{
    (void)state;
    struct summary s;
    double rates[] = {30, 10, 20};
    summary_of_rates(&s, rates, 3);
    assert_int_equal(s.runs, 3);
    expect(s.median, 20);
    expect(s.min, 10);
    expect(s.max, 30);
    expect(s.mean, 20);
    expect(s.stddev, 10);
    expect(s.ci95[0], 20 - 24.8433821);
    expect(s.ci95[1], 20 + 24.8433821);
    expect(summary_half_width_percent(&s), 124.2169105);
    assert_true(summary_varies(&s));
}

/* The median is between the two middle values; 12.706 * sqrt(0.5) / sqrt(2) is 6.353. */
static void even_numbers_of_runs(void **state)
{
    (void)state;
    struct summary s;
    double four[] = {4, 1, 100, 2};
    summary_of_rates(&s, four, 4);
    expect(s.median, 3);
    expect(s.mean, 26.75);
    double two[] = {3, 2};
    summary_of_rates(&s, two, 2);
    expect(s.median, 2.5);
    expect(s.stddev, 0.70710678);
    expect(s.ci95[0], 2.5 - 6.353);
    expect(s.ci95[1], 2.5 + 6.353);
}

static void one_run_has_no_spread(void **state)
{
    (void)state;
    struct summary s;
    double rate[] = {7.5};
    summary_of_rates(&s, rate, 1);
    assert_int_equal(s.runs, 1);
    assert_true(s.median == 7.5 && s.min == 7.5 && s.max == 7.5 && s.mean == 7.5);
    assert_true(s.stddev == 0 && s.ci95[0] == 7.5 && s.ci95[1] == 7.5);
    assert_true(summary_half_width_percent(&s) == 0);
    assert_false(summary_varies(&s));
}

static void no_run_is_all_zeroes(void **state)
{
    (void)state;
    struct summary s;
    summary_of_rates(&s, NULL, 0);
    assert_int_equal(s.runs, 0);
    assert_true(s.median == 0 && s.mean == 0 && s.stddev == 0 && s.ci95[1] == 0);
    assert_true(summary_half_width_percent(&s) == 0);
    assert_false(summary_varies(&s));
}

/* This number of runs, half of them at 99 and half at 101: the deviation is sqrt(count / (count -
 * 1)). */
static double half_width_of(size_t count)
{
    double rates[2000];
    struct summary s;
    assert_in_range(count, 2, 2000);
    for (size_t i = 0; i < count; i++)
        rates[i] = i % 2 ? 101 : 99;
    summary_of_rates(&s, rates, count);
    expect(s.mean, 100);
    return s.ci95[1] - 100;
}

/* Half the width is then t / sqrt(count - 1). The values of t come from other tables. */
static void the_interval_is_by_students_t(void **state)
{
    (void)state;
    expect(half_width_of(4), 3.182 / sqrt(3));
    expect(half_width_of(30), 2.045 / sqrt(29));
    assert_true(fabs(half_width_of(32) * sqrt(31) - 2.0395) < 0.004);
    assert_true(fabs(half_width_of(62) * sqrt(61) - 1.9996) < 0.001);
    assert_true(fabs(half_width_of(2000) * sqrt(1999) - 1.9612) < 0.0005);
}

/* Rates may be large and differ little: the differences are not lost. */
static void large_rates_keep_their_digits(void **state)
{
    (void)state;
    struct summary s;
    double rates[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    summary_of_rates(&s, rates, 4);
    expect(s.mean, 1e9 + 10);
    expect(s.stddev, 5.477225575);
}

static bool varies(size_t count, double a, double b, double c)
{
    double rates[] = {a, b, c};
    struct summary s;
    summary_of_rates(&s, rates, count);
    return summary_varies(&s);
}

/* For 98, 100, 102 half the interval is 2.484 times 2: 4.97 %; for 95, 100, 105 it is 12.4 %. */
static void what_varies(void **state)
{
    (void)state;
    assert_false(varies(3, 98, 100, 102));
    assert_true(varies(3, 95, 100, 105));
    assert_false(varies(3, 100, 100, 100));
    assert_false(varies(3, 0, 0, 0));
    assert_false(varies(2, 100, 149, 0));
    assert_false(varies(2, 150, 100, 0));
    assert_true(varies(2, 151, 100, 0));
    assert_true(varies(2, 0, 1, 0));
    assert_false(varies(2, 0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_runs),
        cmocka_unit_test(even_numbers_of_runs),
        cmocka_unit_test(one_run_has_no_spread),
        cmocka_unit_test(no_run_is_all_zeroes),
        cmocka_unit_test(the_interval_is_by_students_t),
        cmocka_unit_test(large_rates_keep_their_digits),
        cmocka_unit_test(what_varies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
