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
#include "bonload/load/run.h"
#include "util/units.h"

/* ---- arrivals -------------------------------------------------------------------------------- */

#define START UINT64_C(1000000000)

static void constant_gaps(void **state)
{
    static struct arrivals a;
    struct arrivals_cursor cursor = {0};
    (void)state;
    arrivals_begin(&a, ARRIVAL_CONSTANT, 3 * BILLION, 1, START);
    assert_int_equal(arrivals_take(&a), START);
    assert_int_equal(arrivals_take(&a), START + 333333334);
    assert_int_equal(arrivals_take(&a), START + 666666667);
    assert_int_equal(arrivals_take(&a), START + BILLION);
    assert_int_equal(arrivals_due(&a, &cursor, START - 1), 0);
    assert_int_equal(arrivals_due(&a, &cursor, START), 1);
    assert_int_equal(arrivals_due(&a, &cursor, START + BILLION), 4);
    /* A schedule does not drift over a week at 20,000/s. */
    arrivals_begin(&a, ARRIVAL_CONSTANT, 20000 * BILLION, 1, START);
    assert_int_equal(arrivals_at(&a, UINT64_C(604800) * 20000), START + 604800 * BILLION);
}

/* What is made until some moment is what is due by then, also for a third of 500/s. */
static void made_and_due_agree(void **state)
{
    static struct arrivals a;
    struct arrivals_cursor cursor = {0};
    (void)state;
    arrivals_begin(&a, ARRIVAL_CONSTANT, UINT64_C(166666666667), 1, START);
    for (uint64_t n = 1; n <= 1000; n++) {
        assert_int_equal(arrivals_due(&a, &cursor, arrivals_at(&a, n) - 1), n);
        assert_int_equal(arrivals_due(&a, &cursor, arrivals_at(&a, n)), n + 1);
    }
    assert_int_equal(arrivals_at(&a, 500), START + 3 * BILLION);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The test of Kolmogorov and Smirnov. The largest distance between the distribution of the gaps and
 * the exponential distribution exceeds 1.95 / sqrt(n) in one of 1000 cases; the seeds are fixed. */
static void exponential_gaps(void **state)
{
    enum { GAPS = 20000 };
    static struct arrivals a;
    static double gaps[GAPS];
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double rate = 1000;
        arrivals_begin(&a, ARRIVAL_POISSON, (uint64_t)rate * BILLION, seed, START);
        uint64_t before = START;
        for (int i = 0; i < GAPS; i++) {
            uint64_t due = arrivals_take(&a);
            gaps[i] = (double)(due - before) * rate / 1e9;
            before = due;
        }
        qsort(gaps, GAPS, sizeof *gaps, by_value);
        double worst = 0;
        for (int i = 0; i < GAPS; i++) {
            double expected = 1 - exp(-gaps[i]);
            worst = fmax(worst, fabs(expected - (double)i / GAPS));
            worst = fmax(worst, fabs(expected - (double)(i + 1) / GAPS));
        }
        assert_true(worst < 1.95 / sqrt(GAPS));
    }
}

static void what_is_due_of_random_gaps(void **state)
{
    static struct arrivals a;
    struct arrivals_cursor cursor = {0};
    (void)state;
    arrivals_begin(&a, ARRIVAL_POISSON, 100 * BILLION, 7, START);
    for (uint64_t taken = 1; taken <= 1000; taken++) {
        uint64_t due = arrivals_take(&a);
        assert_int_equal(arrivals_due(&a, &cursor, due), taken);
    }
}

/* ---- a rate that changes --------------------------------------------------------------------- */

/* In each second the curve makes this number of requests due, give or take one, no matter how many
 * ranks share them. */
static void expect_curve(const struct rate_curve *c, double share, unsigned ranks, uint64_t seconds)
{
    static struct arrivals a[4];
    for (unsigned i = 0; i < ranks; i++) {
        a[i] = (struct arrivals){.curve = c, .each = ranks / share, .first = i / share};
        arrivals_begin(&a[i], ARRIVAL_CONSTANT, BILLION, 1, START);
    }
    for (uint64_t second = 0; second < seconds; second++) {
        uint64_t end = START + (second + 1) * BILLION;
        uint64_t count = 0;
        struct arrivals_cursor none = {0};
        for (unsigned i = 0; i < ranks; i++)
            for (; arrivals_at(&a[i], atomic_load(&a[i].taken)) < end; count++) {
                uint64_t due = arrivals_take(&a[i]);
                assert_int_equal(arrivals_due(&a[i], &none, due), atomic_load(&a[i].taken));
            }
        double right =
            (rate_curve_due(c, (second + 1) * BILLION) - rate_curve_due(c, second * BILLION)) *
            share;
        assert_true(fabs((double)count - right) <= 1);
    }
}

/* Each request is due within a nanosecond of the moment at which the curve reaches its number. */
static void expect_exact(const struct rate_curve *c, uint64_t count)
{
    static struct arrivals a;
    a = (struct arrivals){.curve = c, .each = 1};
    arrivals_begin(&a, ARRIVAL_CONSTANT, BILLION, 1, START);
    for (uint64_t number = 0; number < count; number++) {
        uint64_t due_ns = arrivals_take(&a) - START;
        assert_true(rate_curve_due(c, due_ns + 1) >= (double)number);
        assert_true(due_ns == 0 || rate_curve_due(c, due_ns - 1) <= (double)number);
    }
}

static void ramps(void **state)
{
    static struct rate_curve c;
    (void)state;
    assert_int_equal(rate_curve_parse_ramp(&c, "100..2000/60s"), 0);
    assert_true(fabs(rate_curve_due(&c, 60 * BILLION) - 63000) < 1e-6);
    assert_true(fabs(rate_curve_due(&c, BILLION) - (100 + 1900. / 120)) < 1e-9);
    assert_true(fabs(rate_curve_rate(&c, 30 * BILLION) - 1050) < 1e-9);
    expect_curve(&c, 1, 1, 70);
    expect_curve(&c, .25, 1, 70);
    expect_curve(&c, .75, 3, 70);
    expect_exact(&c, 63000);
    assert_int_equal(rate_curve_parse_ramp(&c, "2000..0/10s"), 0);
    expect_curve(&c, 1, 1, 15);
    assert_true(rate_curve_time(&c, 10001) > UINT64_MAX / 8);
    for (const char *const *text =
             (const char *const[]){"", "1", "1..2", "1/2s", "0..0/1s", "1..2/0s", "2/1s..3",
                                   "1..x/1s", "-1..2/1s", NULL};
         *text; text++)
        assert_int_equal(rate_curve_parse_ramp(&c, *text), -EINVAL);
}

static void jumps_and_pauses(void **state)
{
    static struct rate_curve c;
    (void)state;
    memset(&c, 0, sizeof c);
    assert_true(rate_curve_add(&c, 2 * BILLION, 100));
    assert_true(rate_curve_add(&c, 2 * BILLION, 1000));
    assert_true(rate_curve_add(&c, 4 * BILLION, 1000));
    assert_true(rate_curve_add(&c, 4 * BILLION, 0));
    assert_true(rate_curve_add(&c, 6 * BILLION, 0));
    assert_true(rate_curve_add(&c, 8 * BILLION, 500));
    assert_false(rate_curve_add(&c, 7 * BILLION, 500));
    assert_true(fabs(rate_curve_due(&c, 5 * BILLION) - 2200) < 1e-6);
    expect_curve(&c, 1, 1, 12);
    expect_curve(&c, .5, 2, 12);
    expect_exact(&c, 3000);
}

/* Exponential gaps follow the same curve on average. */
static void random_gaps_of_a_curve(void **state)
{
    static struct arrivals a;
    static struct rate_curve c;
    uint64_t count = 0;
    (void)state;
    assert_int_equal(rate_curve_parse_ramp(&c, "1000..9000/10s"), 0);
    a = (struct arrivals){.curve = &c, .each = 1};
    arrivals_begin(&a, ARRIVAL_POISSON, BILLION, 5, START);
    while (arrivals_take(&a) < START + 10 * BILLION)
        count++;
    assert_true(fabs((double)count - 50000) < 5 * sqrt(50000));
}

/* ---- what is overdue ------------------------------------------------------------------------- */

/* Looks at writes that each take `took_ns`, until the end of the curve. Returns what was seen. */
static struct backlog look_through(const struct rate_curve *c, uint64_t took_ns)
{
    static struct run run;
    static struct load_thread load_thread;
    struct load *load = &run.loads[LOAD_WRITE];
    struct backlog b = {.looked_ns = START};
    struct arrivals_cursor cursor = {0};
    memset(&run, 0, sizeof run);
    run.threads = &load_thread;
    run.thread_count = 1;
    load_thread = (struct load_thread){.run = &run, .load = load};
    *load = (struct load){.kind = LOAD_WRITE, .pace = PACE_RATE, .is_open = true, .rate = 1};
    load->schedules[0] = (struct arrivals){.curve = c, .each = 1};
    arrivals_begin(&load->schedules[0], ARRIVAL_CONSTANT, 1, 1, START);
    for (uint64_t now_ns = START; now_ns < START + c->end_ns; now_ns += BILLION / 100) {
        if (now_ns > START + took_ns)
            load_thread.ended = arrivals_due(&load->schedules[0], &cursor, now_ns - took_ns);
        backlog_measure(&b, &run, now_ns);
    }
    return b;
}

/* What counts is how long requests are overdue, and not the rate at that moment. */
static void a_rate_that_falls(void **state)
{
    static struct rate_curve c;
    (void)state;
    memset(&c, 0, sizeof c);
    assert_true(rate_curve_add(&c, 0, 40));
    assert_true(rate_curve_add(&c, 5 * BILLION, 40));
    assert_true(rate_curve_add(&c, 5 * BILLION, 1));
    assert_true(rate_curve_add(&c, 10 * BILLION, 1));
    assert_false(look_through(&c, BILLION / 5).is_bad);
    assert_int_equal(look_through(&c, BILLION / 5).staggered_ns[LOAD_WRITE], 0);
    assert_false(look_through(&c, 3 * BILLION / 2).is_bad);
    assert_true(look_through(&c, 3 * BILLION / 2).staggered_ns[LOAD_WRITE] > 3 * BILLION);
    assert_true(look_through(&c, 5 * BILLION / 2).is_bad);
}

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
        expected[i] *= DRAWS / sum;
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
        expected[i] *= DRAWS / sum;
    assert_true(chi_square(counts, expected, BUCKETS) <
                16.3); /* 3 degrees of freedom: exceeded in one of 1000 cases */
    sizes_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_gaps),
        cmocka_unit_test(made_and_due_agree),
        cmocka_unit_test(a_rate_that_falls),
        cmocka_unit_test(exponential_gaps),
        cmocka_unit_test(what_is_due_of_random_gaps),
        cmocka_unit_test(ramps),
        cmocka_unit_test(jumps_and_pauses),
        cmocka_unit_test(random_gaps_of_a_curve),
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
