// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/ledger/names.h"
#include "util/units.h"

/* ---- names ----------------------------------------------------------------------------------- */

static void expect_name(const char *template, uint64_t number, const char *expected)
{
    struct names n;
    struct err e;
    char name[128];
    err_init(&e);
    assert_int_equal(names_open(&n, template, NULL, false, 1, &e), 0);
    assert_true(n.longest < sizeof name);
    assert_int_equal(names_format(&n, number, name), strlen(expected));
    assert_string_equal(name, expected);
    names_close(&n);
}

static void numbers_in_names(void **state)
{
    (void)state;
    expect_name("tmp/XXX", 1, "tmp/001");
    expect_name("tmp/XXX", 999, "tmp/999");
    expect_name("tmp/XXX", 1000, "tmp/000");
    expect_name("tmp/XXX", 1001, "tmp/001");
    expect_name("XX/XXXX-XX", 12345, "45/2345-45");
    expect_name("X/N/R", 3, "X/N/R");
    expect_name("plain", 3, "plain");
    expect_name("XXXXXXXXXXXXXXXXXXXXXX", 17, "0000000000000000000017");
}

static void periods(void **state)
{
    struct names n;
    struct err e;
    (void)state;
    err_init(&e);
    names_open(&n, "a/XXX", NULL, false, 1, &e);
    assert_int_equal(n.period, 1000);
    assert_true(names_are_unique(&n, 1000));
    assert_false(names_are_unique(&n, 1001));
    names_close(&n);
    names_open(&n, "a", NULL, false, 1, &e);
    assert_int_equal(n.period, 1);
    names_close(&n);
    names_open(&n, "NN", NULL, false, 1, &e);
    assert_int_equal(n.period, 0);
    assert_false(names_are_unique(&n, 2));
    names_close(&n);
    names_open(&n, "RRRRRRRRRRRRRRRRRRRR", NULL, false, 1, &e);
    assert_true(names_are_unique(&n, 1000000000));
    names_close(&n);
}

static void random_names_can_be_made_again(void **state)
{
    struct names n;
    struct err e;
    char first[32];
    char again[32];
    (void)state;
    err_init(&e);
    names_open(&n, "d/NNNNNN-RRRRRR", NULL, false, 5, &e);
    names_format(&n, 77, first);
    names_format(&n, 78, again);
    assert_string_not_equal(first, again);
    names_format(&n, 77, again);
    assert_string_equal(first, again);
    for (int i = 2; i < 8; i++)
        assert_in_range(first[i], '0', '9');
    names_close(&n);
}

/* Three ranks never use the same name, and together they use the names that a single one would. */
static void names_of_ranks(void **state)
{
    enum { RANKS = 3, NAMES = 5 };
    char seen[RANKS * NAMES + 1] = "";
    (void)state;
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const struct stripe stripe = {.others = RANKS - 1, .index = rank};
        struct names n;
        struct err e;
        char name[8];
        err_init(&e);
        names_open(&n, "XX", NULL, false, 1, &e);
        assert_true(names_deal(&n, &stripe));
        assert_int_equal(n.period, 33);
        for (uint64_t i = 1; i <= NAMES; i++) {
            names_format(&n, i, name);
            int number = atoi(name);
            assert_in_range(number, 1, RANKS * NAMES);
            assert_int_equal(seen[number]++, 0);
        }
        names_format(&n, 1, name);
        assert_int_equal(atoi(name), rank + 1);
        names_format(&n, 34, name); /* a rank begins again with its own names */
        assert_int_equal(atoi(name), rank + 1);
        names_close(&n);
    }
}

static void fewer_names_than_ranks(void **state)
{
    const struct stripe stripe = {.others = 2, .index = 1};
    struct names n;
    struct err e;
    char name[16];
    (void)state;
    err_init(&e);
    names_open(&n, "plain", NULL, false, 1, &e);
    assert_false(names_deal(&n, &stripe));
    assert_int_equal(n.period, 1);
    names_format(&n, 7, name);
    assert_string_equal(name, "plain");
    names_close(&n);
    names_open(&n, "RRRRRR", NULL, false, 1, &e);
    assert_true(names_deal(&n, &stripe));
    assert_int_equal(n.period, 0);
    names_close(&n);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The chi-square statistic of counts against probabilities. */
static double chi_square(const uint64_t *counts, const double *expected, int classes)
{
    double sum = 0;
    for (int i = 0; i < classes; i++)
        sum += ((double)counts[i] - expected[i]) * ((double)counts[i] - expected[i]) / expected[i];
    return sum;
}

/* With 99 degrees of freedom the statistic exceeds 148.2 in one of 1000 cases; the seeds are
 * fixed. */
#define CHI_SQUARE_99 148.2

static void check_sizes(uint64_t fair_buckets)
{
    enum { SIZES = 100, DRAWS = 500000 };
    struct sizes s = {.least = 1, .most = SIZES, .buckets = fair_buckets};
    struct err e;
    uint64_t counts[SIZES] = {0};
    double expected[SIZES];
    double sum = 0;
    err_init(&e);
    assert_int_equal(sizes_open(&s, 3, &e), 0);
    for (uint64_t i = 1; i <= DRAWS; i++) {
        uint64_t size = sizes_of(&s, i);
        assert_in_range(size, 1, SIZES);
        counts[size - 1]++;
    }
    for (int i = 0; i < SIZES; i++)
        sum += expected[i] = fair_buckets > 0 ? 1. / (i + 1) : 1;
    for (int i = 0; i < SIZES; i++)
        expected[i] *= (double)DRAWS / sum;
    assert_true(chi_square(counts, expected, SIZES) < CHI_SQUARE_99);
    assert_int_equal(sizes_of(&s, 17), sizes_of(&s, 17));
    sizes_close(&s);
}

static void uniform_sizes(void **state)
{
    (void)state;
    check_sizes(0);
}

static void fair_sizes(void **state)
{
    (void)state;
    check_sizes(1000); /* there are more buckets than sizes: each size has a bucket */
    check_sizes(100);
}

/* Four buckets of many sizes; their weights are 1/size at their middles. */
static void fair_buckets(void **state)
{
    enum { BUCKETS = 4, DRAWS = 400000 };
    struct sizes s = {.least = 0, .most = 3999, .buckets = BUCKETS};
    struct err e;
    uint64_t counts[BUCKETS] = {0};
    double expected[BUCKETS];
    double sum = 0;
    (void)state;
    err_init(&e);
    assert_int_equal(sizes_open(&s, 9, &e), 0);
    for (uint64_t i = 1; i <= DRAWS; i++)
        counts[sizes_of(&s, i) / 1000]++;
    for (int i = 0; i < BUCKETS; i++)
        sum += expected[i] = 1 / (i * 1000 + 499.5);
    for (int i = 0; i < BUCKETS; i++)
        expected[i] *= (double)DRAWS / sum;
    assert_true(chi_square(counts, expected, BUCKETS) <
                16.3); /* 3 degrees of freedom: exceeded in one of 1000 cases */
    sizes_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_names),
        cmocka_unit_test(periods),
        cmocka_unit_test(random_names_can_be_made_again),
        cmocka_unit_test(names_of_ranks),
        cmocka_unit_test(fewer_names_than_ranks),
        cmocka_unit_test(uniform_sizes),
        cmocka_unit_test(fair_sizes),
        cmocka_unit_test(fair_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
