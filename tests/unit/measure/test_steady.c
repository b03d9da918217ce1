// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/steady.h"

static void expect(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected) + 1e-9)
        fail_msg("%.12g instead of %.12g", value, expected);
}

static bool is_steady(double a, double b, double c, double d, double e)
{
    const double figures[STEADY_WINDOW] = {a, b, c, d, e};
    struct steady_fit fit;
    return steady_judge(&fit, figures);
}

/* Worked out by hand: the products with -2 .. 2 add up to 40, and the slope is 40/10. */
static void the_fit(void **state)
{
    (void)state;
    const double figures[STEADY_WINDOW] = {90, 100, 94, 112, 104};
    struct steady_fit fit;
    assert_false(steady_judge(&fit, figures));
    expect(fit.mean, 100);
    expect(fit.range_percent, 22);
    expect(fit.slope, 4);
    expect(fit.slope_percent, 16);
}

/* From the log of another program that uses the rule (STB Suite, "SSD and SSS HDD preconditioning
 * test in DMM"): mean 238.23, range 11.82 or 5.0 %, slope 2.41, line over the window 4.1 %. */
static void a_published_example(void **state)
{
    (void)state;
    const double figures[STEADY_WINDOW] = {228.90, 240.21, 240.60, 240.71, 240.71};
    struct steady_fit fit;
    assert_true(steady_judge(&fit, figures));
    assert_true(fabs(fit.mean - 238.23) < 0.005);
    assert_true(fabs(fit.range_percent - 4.96) < 0.005);
    assert_true(fabs(fit.slope - 2.41) < 0.005);
    assert_true(fabs(fit.slope_percent - 4.05) < 0.005);
}

/* "At most" includes the limit itself. */
static void the_limits_themselves(void **state)
{
    (void)state;
    assert_true(is_steady(100, 110, 90, 100, 100)); /* the range is 20 % */
    assert_false(is_steady(100, 110.1, 89.9, 100, 100));
    assert_true(is_steady(95, 97.5, 100, 102.5, 105)); /* the line rises by 10 % */
    assert_false(is_steady(94.9, 97.45, 100, 102.55, 105.1));
    assert_false(is_steady(105.1, 102.55, 100, 97.45, 94.9));
}

/* 2 % per round passes the rule, 3 % does not; neither does swinging by 30 %. */
static void drifts_and_swings(void **state)
{
    (void)state;
    assert_true(is_steady(100, 98, 96.04, 94.12, 92.24));
    assert_false(is_steady(100, 97, 94.09, 91.27, 88.53));
    assert_false(is_steady(100, 130, 100, 130, 100));
    assert_true(is_steady(7, 7, 7, 7, 7));
}

/* A window whose figures are all zero is not steady. */
static void nothing_was_measured(void **state)
{
    (void)state;
    assert_false(is_steady(0, 0, 0, 0, 0));
}

/* tests/lib/steady_reference.py makes this file with SciPy: five figures, and SciPy's verdict. */
static FILE *series(void)
{
    const char *top = getenv("BONNIE_TEST_SRCDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/steady.csv", top ? top : ".");
    return fopen(path, "r");
}

static void a_thousand_series_as_scipy_judges_them(void **state)
{
    (void)state;
    unsigned count = 0;
    unsigned steady = 0;
    double f[STEADY_WINDOW];
    double range;
    double slope;
    int expected;
    FILE *in = series();
    assert_non_null(in);
    while (fscanf(in, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%d\n", &f[0], &f[1], &f[2], &f[3], &f[4], &range,
                  &slope, &expected) == 8) {
        struct steady_fit fit;
        if (steady_judge(&fit, f) != expected)
            fail_msg("series %u: the other verdict", count + 1);
        expect(fit.range_percent, range);
        expect(fit.slope_percent, slope);
        steady += (unsigned)expected;
        count++;
    }
    assert_true(feof(in));
    fclose(in);
    assert_int_equal(count, 1000);
    assert_in_range(steady, 200, 800); /* a rule that always gives the same verdict would fail */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fit),
        cmocka_unit_test(a_published_example),
        cmocka_unit_test(the_limits_themselves),
        cmocka_unit_test(drifts_and_swings),
        cmocka_unit_test(nothing_was_measured),
        cmocka_unit_test(a_thousand_series_as_scipy_judges_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
