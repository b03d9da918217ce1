// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/histogram.h"
#include "util/rng.h"

#define VALUES 5000

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct histogram *new_histogram(void)
{
    struct histogram *h = calloc(1, sizeof *h);
    assert_non_null(h);
    return h;
}

/* Draws values between a nanosecond and an hour from one of several distributions. */
static uint64_t draw(struct rng *r, unsigned shape)
{
    uint64_t limit = UINT64_C(1) << (3 + shape % 39);
    switch (shape % 4) {
    case 0:
        return rng_below(r, limit);
    case 1: /* most are small, some are very large */
        return UINT64_C(1) << rng_below(r, 42);
    case 2: /* two peaks */
        return rng_below(r, 2) == 0 ? 80000 + rng_below(r, 5000) : 20000000 + rng_below(r, limit);
    default:
        return (rng_next(r) & (limit - 1)) & rng_next(r);
    }
}

static void assert_close(uint64_t got, uint64_t exact)
{
    uint64_t off = got > exact ? got - exact : exact - got;
    assert_true((double)off <= 0.001 * (double)exact);
}

static void percentiles_are_those_of_sorted_values(void **state)
{
    (void)state;
    static const double percents[] = {0.01, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
    static uint64_t values[VALUES];
    struct histogram *h = new_histogram();
    for (unsigned shape = 0; shape < 100; shape++) {
        struct rng r;
        rng_init(&r, 42, shape);
        memset(h, 0, sizeof *h);
        for (size_t i = 0; i < VALUES; i++)
            histogram_record(h, values[i] = draw(&r, shape));
        qsort(values, VALUES, sizeof *values, compare);
        for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
            size_t rank = (size_t)ceil(VALUES * percents[i] / 100);
            assert_close(histogram_percentile(h, percents[i]), values[rank - 1]);
        }
        assert_int_equal(histogram_minimum(h), values[0]);
        assert_int_equal(h->maximum, values[VALUES - 1]);
        assert_int_equal(h->count, VALUES);
    }
    free(h);
}

static void mean_and_deviation_are_right(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    struct rng r;
    rng_init(&r, 1, 1);
    double sum = 0;
    for (size_t i = 0; i < VALUES; i++) {
        uint64_t value = 1000000 + rng_below(&r, 9000000);
        histogram_record(h, value);
        sum += (double)value;
    }
    double mean = sum / VALUES;
    assert_true(fabs(histogram_mean(h) - mean) < 1e-6 * mean);
    free(h);
}

static void merged_parts_are_the_whole(void **state)
{
    (void)state;
    struct histogram *whole = new_histogram();
    struct histogram *sum = new_histogram();
    for (unsigned part = 0; part < 7; part++) {
        struct histogram *h = new_histogram();
        struct rng r;
        rng_init(&r, 9, part);
        for (size_t i = 0; i < 100 * part; i++) { /* the first part is empty */
            uint64_t value = draw(&r, part);
            histogram_record(h, value);
            histogram_record(whole, value);
        }
        histogram_merge(sum, h);
        free(h);
    }
    assert_memory_equal(whole, sum, sizeof *whole);
    free(whole);
    free(sum);
}

/* Each look finds what was recorded since the previous one, whichever way it asks. */
static void looks_share_out_what_is_recorded(void **state)
{
    (void)state;
    struct histogram *all = new_histogram();
    struct histogram *before = new_histogram();
    struct histogram *difference = new_histogram();
    struct histogram *now = new_histogram();
    struct histogram *seen = new_histogram();
    struct histogram *recorded = new_histogram();
    for (unsigned look = 0; look < 100; look++) {
        struct rng r;
        rng_init(&r, 3, look);
        histogram_clear(recorded);
        for (size_t i = 0; i < look % 7; i++) { /* before some looks nothing is recorded */
            uint64_t value = draw(&r, look);
            histogram_record(all, value);
            histogram_record(recorded, value);
        }
        histogram_subtract(difference, all, before);
        histogram_clear(now);
        histogram_merge(now, all);
        histogram_subtract(now, now, seen);
        histogram_merge(seen, now);
        assert_memory_equal(now, difference, sizeof *now);
        assert_memory_equal(now->buckets, recorded->buckets, sizeof now->buckets);
        assert_int_equal(now->count, recorded->count);
        assert_int_equal(now->sum, recorded->sum);
        assert_close(now->maximum, recorded->maximum);
        assert_close(histogram_minimum(now), histogram_minimum(recorded));
        *before = *all;
    }
    histogram_clear(all);
    histogram_clear(now);
    memset(before, 0, sizeof *before);
    assert_memory_equal(all, before, sizeof *all);
    assert_memory_equal(now, before, sizeof *now);
    free(all);
    free(before);
    free(difference);
    free(now);
    free(seen);
    free(recorded);
}

static void nothing_has_no_figures(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    assert_int_equal(histogram_percentile(h, 50), 0);
    assert_int_equal(histogram_minimum(h), 0);
    assert_true(histogram_mean(h) == 0);
    free(h);
}

/* A percentile takes 1 / (1 - p) values, in whole numbers. */
static void few_values_show_no_percentile(void **state)
{
    (void)state;
    static const struct {
        double percent;
        uint64_t needed;
    } cases[] = {{50, 2},     {90, 10},     {95, 20},       {99, 100},
                 {99.5, 200}, {99.9, 1000}, {99.99, 10000}, {97, 34 /* 33.3 */},
                 {100, 1}};
    struct histogram *h = new_histogram();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(percentile_is_known(cases[i].needed, cases[i].percent));
        assert_false(percentile_is_known(cases[i].needed - 1, cases[i].percent));
    }
    for (unsigned i = 0; i < 99; i++)
        histogram_record(h, 7);
    assert_int_equal(histogram_known_percentile(h, 99), 0);
    assert_int_equal(latencies_of(h).p95, 7);
    assert_int_equal(latencies_of(h).p99, 0);
    histogram_record(h, 7);
    assert_int_equal(latencies_of(h).p99, 7);
    assert_int_equal(latencies_of(h).p99_9, 0);
    free(h);
}

static void ends_of_the_range(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    histogram_record(h, 0);
    histogram_record(h, UINT64_MAX);
    assert_int_equal(histogram_minimum(h), 0);
    assert_int_equal(h->maximum, UINT64_MAX);
    assert_int_equal(histogram_percentile(h, 1), 0);
    assert_int_equal(histogram_percentile(h, 100), UINT64_MAX);
    histogram_record(h, 3600 * UINT64_C(1000000000)); /* an hour still has a bucket of its own */
    assert_close(histogram_percentile(h, 66), 3600 * UINT64_C(1000000000));
    histogram_clear(h);
    histogram_record(h, UINT64_MAX); /* and a histogram with only the largest value is not empty */
    assert_int_equal(histogram_percentile(h, 50), UINT64_MAX);
    free(h);
}

/* Buckets have no gaps and no overlap: the next value is in the same bucket or in the next one. */
static void buckets_follow_each_other(void **state)
{
    (void)state;
    assert_int_equal(histogram_bucket(0), 0);
    for (uint64_t value = 1; value < 1 << 20; value++) {
        unsigned step = histogram_bucket(value) - histogram_bucket(value - 1);
        assert_in_range(step, value < 1024 ? 1 : 0, 1);
    }
    assert_int_equal(histogram_bucket((UINT64_C(1) << 42) - 1), HISTOGRAM_BUCKETS - 1);
}

static void largest_values(void **state)
{
    struct histogram h = {0};
    uint64_t values[3] = {0};
    (void)state;
    assert_int_equal(histogram_largest(&h, values, 3), 0);
    histogram_record(&h, 7);
    histogram_record(&h, 1000001);
    assert_int_equal(histogram_largest(&h, values, 3), 2);
    assert_int_equal(values[0], 1000001);
    assert_int_equal(values[1], 7);
    for (unsigned i = 0; i < 5; i++)
        histogram_record(&h, 900);
    assert_int_equal(histogram_largest(&h, values, 3), 3);
    assert_int_equal(values[1], 900);
    assert_int_equal(values[2], 900);
}

/* All new values may be in one bucket whose middle is above the largest value. */
static void a_difference_can_be_emptied(void **state)
{
    struct histogram *now = new_histogram();
    struct histogram *seen = new_histogram();
    (void)state;
    for (uint64_t value = 1000000; value < 1003000; value += 7) {
        histogram_clear(now);
        for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
            assert_int_equal(now->buckets[i], 0);
        histogram_record(now, value);
        seen->maximum = value;
        seen->inverted_minimum = ~UINT64_C(1000000);
        histogram_merge(now, seen);
        histogram_subtract(now, now, seen);
        histogram_merge(seen, now);
        assert_int_equal(now->count, 1);
        assert_true(histogram_minimum(now) <= now->maximum);
        assert_int_equal(histogram_bucket(now->maximum), histogram_bucket(value));
    }
    free(now);
    free(seen);
}

/* The first number of values whose percentile 99.9 rounding puts one rank higher. */
static void rounding_moves_no_rank(void **state)
{
    (void)state;
    struct histogram *h = new_histogram();
    for (uint64_t i = 1; i <= 41000; i++)
        histogram_record(h, i <= 40959 ? 1 : 2);
    assert_int_equal(histogram_percentile(h, 99.9), 1);
    for (uint64_t n = 1; n <= 900; n++) {
        memset(h, 0, sizeof *h);
        for (uint64_t i = 1; i <= n; i++)
            histogram_record(h, i);
        for (uint64_t rank = 1; rank <= n; rank++)
            assert_int_equal(histogram_at_rank(h, rank), rank);
    }
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_those_of_sorted_values),
        cmocka_unit_test(rounding_moves_no_rank),
        cmocka_unit_test(mean_and_deviation_are_right),
        cmocka_unit_test(merged_parts_are_the_whole),
        cmocka_unit_test(looks_share_out_what_is_recorded),
        cmocka_unit_test(a_difference_can_be_emptied),
        cmocka_unit_test(nothing_has_no_figures),
        cmocka_unit_test(few_values_show_no_percentile),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(largest_values),
        cmocka_unit_test(buckets_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
