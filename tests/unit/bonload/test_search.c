#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bonload/judge.h"
#include "bonload/ladder.h"
#include "util/rng.h"
#include "util/units.h"

/* ---- how a search climbs -----------------------------------------------------------------------
 */

/* Searches where every load up to `keeps` keeps the limit; returns the number of steps. */
static int climb(struct ladder *l, double first, double most, bool is_whole, double keeps)
{
    int steps = 0;
    ladder_begin(l, first, most, is_whole);
    while (!l->is_found && !l->is_none) {
        ladder_step(l, l->load <= keeps);
        assert_true(++steps < 100);
    }
    return steps;
}

static void threads_are_found(void **state)
{
    struct ladder l;
    (void)state;
    for (double keeps = 1; keeps <= 500; keeps++) {
        climb(&l, 1, 500, true, keeps);
        assert_true(l.is_found);
        double close = fmax(1, .05 * keeps);
        assert_true(l.load <= keeps && l.load >= keeps - close);
        assert_int_equal(l.is_most, keeps >= 500);
    }
}

static void the_first_load_may_be_too_high(void **state)
{
    struct ladder l;
    (void)state;
    climb(&l, 64, 500, true, 3);
    assert_true(l.is_found);
    assert_int_equal((int)l.load, 3);
    climb(&l, 64, 500, true, 0);
    assert_true(l.is_none);
    climb(&l, 100, 1e9, false, .001);
    assert_true(l.is_none);
}

static void rates_are_found(void **state)
{
    struct ladder l;
    (void)state;
    for (double keeps = 3; keeps < 1e6; keeps *= 1.37) {
        climb(&l, 100, 1e9, false, keeps);
        assert_true(l.is_found);
        assert_true(l.load <= keeps && l.load >= keeps * .95 - 1e-9);
    }
}

static void an_answer_that_is_not_confirmed(void **state)
{
    struct ladder l;
    (void)state;
    climb(&l, 1, 500, true, 20);
    ladder_step_down(&l);
    assert_int_equal((int)l.load, 19);
    climb(&l, 1, 500, true, 1);
    ladder_step_down(&l);
    assert_true(l.is_none);
    climb(&l, 100, 1e9, false, 1000);
    double before = l.load;
    ladder_step_down(&l);
    assert_true(fabs(l.load - .95 * before) < 1e-9);
}

/* ---- whether a load keeps the limit ------------------------------------------------------------
 */

static struct latency_limit limit_of(const char *text)
{
    struct latency_limit limit;
    assert_int_equal(latency_limit_parse(text, &limit), 0);
    return limit;
}

/* A judge that has seen so many requests in one piece. */
static enum verdict judge_counts(const char *text, uint64_t good, uint64_t above, uint64_t errors)
{
    struct judge j;
    const struct latency_limit limit = limit_of(text);
    const struct counts counts = {.good = good, .above = above, .errors = errors};
    judge_begin(&j, &limit, true, BILLION);
    judge_feed(&j, &counts, BILLION);
    return judge_verdict(&j);
}

/* The bounds are those of Wilson's interval for 1 %. */
static void percentiles(void **state)
{
    (void)state;
    assert_int_equal(judge_counts("p99:1ms", 380, 0, 0), VERDICT_OPEN);
    assert_int_equal(judge_counts("p99:1ms", 381, 0, 0), VERDICT_KEPT);
    assert_int_equal(judge_counts("p99:1ms", 1000, 10, 0), VERDICT_OPEN);
    assert_int_equal(judge_counts("p99:1ms", 1000, 19, 0), VERDICT_BROKEN);
    assert_int_equal(judge_counts("p99:1ms", 9990, 100, 0), VERDICT_BROKEN);
    assert_int_equal(judge_counts("p99:1ms", 10001, 100, 0), VERDICT_KEPT);
    assert_int_equal(judge_counts("p50:1ms", 100, 100, 0), VERDICT_BROKEN);
}

static void the_longest(void **state)
{
    (void)state;
    assert_int_equal(judge_counts("max:1ms", 1, 1, 0), VERDICT_BROKEN);
    assert_int_equal(judge_counts("max:1ms", 999, 0, 0), VERDICT_OPEN);
    assert_int_equal(judge_counts("max:1ms", 1000, 0, 0), VERDICT_KEPT);
}

static void failures(void **state)
{
    (void)state;
    assert_int_equal(judge_counts("max:1ms", 970, 0, 30), VERDICT_OPEN);
    assert_int_equal(judge_counts("max:1ms", 969, 0, 31), VERDICT_BROKEN);
    assert_int_equal(judge_counts("max:1ms", 0, 0, 30), VERDICT_BROKEN);
}

/*
 * Feeds latencies that depend on each other: each is the one before times `memory` and a random
 * part, with a mean of `mean`. 100 of them end in a second.
 */
static enum verdict judge_dependent(uint64_t seed, double mean, double memory, double seconds,
                                    struct estimate *estimate)
{
    struct judge j;
    struct rng rng;
    const struct latency_limit limit = limit_of("100ms");
    double off = 0;
    rng_init(&rng, seed, 0);
    judge_begin(&j, &limit, true, BILLION);
    for (int i = 0; i < seconds * 100; i++) {
        double random = (double)(rng_next(&rng) >> 11) * 0x1p-53 - .5;
        off = memory * off + random * mean;
        const struct counts one = {.good = 1, .good_ns = (uint64_t)fmax(0, mean + off)};
        judge_feed(&j, &one, BILLION / 100);
    }
    *estimate = judge_mean(&j);
    return judge_verdict(&j);
}

/* The interval covers the true mean about as often as it promises, although latencies depend on
 * each other: 95 % of 400 are 380, and three standard deviations are 13. */
static void the_interval_of_the_mean_is_honest(void **state)
{
    int covered = 0;
    struct estimate e;
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        judge_dependent(seed, 50e6, .8, 20, &e);
        covered += fabs(e.mean - 50e6) <= e.half_width;
    }
    assert_in_range(covered, 355, 398);
}

static void means(void **state)
{
    struct estimate e;
    (void)state;
    assert_int_equal(judge_dependent(1, 50e6, .5, 5, &e), VERDICT_KEPT);
    assert_int_equal(judge_dependent(1, 200e6, .5, 10, &e), VERDICT_BROKEN);
    assert_int_equal(judge_dependent(1, 100e6, .5, 1, &e), VERDICT_OPEN);
    /* Once the interval is narrow, its middle decides. */
    assert_int_not_equal(judge_dependent(1, 100e6, 0, 200, &e), VERDICT_OPEN);
    assert_true(2 * e.half_width < .025 * 100e6 || fabs(e.mean - 100e6) > e.half_width);
}

static void a_target_that_says_nothing(void **state)
{
    struct judge j;
    const struct latency_limit limit = limit_of("100ms");
    const struct counts none = {0};
    (void)state;
    judge_begin(&j, &limit, true, BILLION);
    judge_feed(&j, &none, BILLION / 2);
    assert_int_equal(judge_verdict(&j), VERDICT_OPEN);
    judge_feed(&j, &none, 10 * BILLION);
    assert_int_equal(judge_verdict(&j), VERDICT_BROKEN);
}

static void limits_as_users_write_them(void **state)
{
    struct latency_limit limit;
    char name[LIMIT_TEXT];
    (void)state;
    limit = limit_of("p99.9:1.5ms");
    assert_int_equal(limit.of, LIMIT_PERCENTILE);
    assert_int_equal(limit.nanoseconds, 1500000);
    latency_limit_name(&limit, name);
    assert_string_equal(name, "p99.9");
    assert_int_equal(limit_of("20ms").of, LIMIT_MEAN);
    assert_int_equal(limit_of("max:1s").of, LIMIT_MAX);
    static const char *const wrong[] = {"",        "20",     "p:1s", "p0:1s",
                                        "p100:1s", "min:1s", "p99:", "0s"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(latency_limit_parse(wrong[i], &limit), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_found),
        cmocka_unit_test(the_first_load_may_be_too_high),
        cmocka_unit_test(rates_are_found),
        cmocka_unit_test(an_answer_that_is_not_confirmed),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(the_longest),
        cmocka_unit_test(failures),
        cmocka_unit_test(the_interval_of_the_mean_is_honest),
        cmocka_unit_test(means),
        cmocka_unit_test(a_target_that_says_nothing),
        cmocka_unit_test(limits_as_users_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
