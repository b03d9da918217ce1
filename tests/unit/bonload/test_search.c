#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bonload/control/judge.h"
#include "bonload/control/ladder.h"
#include "bonload/control/search.h"
#include "util/rng.h"
#include "util/units.h"

/* ---- the steps of a search ------------------------------------------------------------------- */

/* Searches a load, where every load up to `keeps` keeps the limit. Returns the number of steps. */
static int climb(struct ladder *l, double first, double most, bool is_whole, double keeps)
{
    int steps = 0;
    ladder_begin(l, first, most, is_whole);
    while (l->found == FOUND_UNSURE) {
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
        double close = fmax(1, .05 * keeps);
        assert_true(l.load <= keeps && l.load >= keeps - close);
        assert_int_equal(l.found, keeps >= 500 ? FOUND_MOST : FOUND_LOAD);
    }
}

static void the_first_load_may_be_too_high(void **state)
{
    struct ladder l;
    (void)state;
    climb(&l, 64, 500, true, 3);
    assert_int_equal(l.found, FOUND_LOAD);
    assert_int_equal((int)l.load, 3);
    climb(&l, 64, 500, true, 0);
    assert_int_equal(l.found, FOUND_NONE);
    climb(&l, 100, 1e9, false, .001);
    assert_int_equal(l.found, FOUND_NONE);
}

static void rates_are_found(void **state)
{
    struct ladder l;
    (void)state;
    for (double keeps = 3; keeps < 1e6; keeps *= 1.37) {
        climb(&l, 100, 1e9, false, keeps);
        assert_int_equal(l.found, FOUND_LOAD);
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
    assert_int_equal(l.found, FOUND_NONE);
    climb(&l, 100, 1e9, false, 1000);
    double before = l.load;
    ladder_step_down(&l);
    assert_true(fabs(l.load - .95 * before) < 1e-9);
}

/* ---- whether a load keeps the limit ---------------------------------------------------------- */

static struct latency_limit limit_of(const char *text)
{
    struct latency_limit limit;
    assert_int_equal(latency_limit_parse(text, &limit), 0);
    return limit;
}

static struct judge judge_of(const char *text)
{
    struct judge j;
    const struct judge_rules rules = {.limit = limit_of(text),
                                      .counts_errors = true,
                                      .alpha = .05,
                                      .stall_ns = BILLION / 1000,
                                      .most_ns = 60 * BILLION};
    judge_begin(&j, &rules);
    return j;
}

/*
 * The verdict of a judge that has seen this number of requests within a second, one by one, with
 * the slow ones spread evenly.
 */
static enum verdict judge_counts(const char *text, uint64_t good, uint64_t above, uint64_t errors)
{
    struct judge j = judge_of(text);
    const struct counts failed = {.errors = errors};
    judge_feed(&j, &failed, 0, false);
    for (uint64_t i = 0; i < good; i++) {
        bool is_above = (i + 1) * above / good > i * above / good;
        const struct counts one = {.good = 1, .above = is_above};
        judge_feed(&j, &one, BILLION / good, false);
    }
    return judge_verdict(&j);
}

/* An interval that is examined only once would have tighter bounds: 301 and 19. */
static void percentiles(void **state)
{
    (void)state;
    assert_int_equal(judge_counts("p99:1ms", 400, 0, 0), VERDICT_OPEN);
    assert_int_equal(judge_counts("p99:1ms", 420, 0, 0), VERDICT_KEPT);
    assert_int_equal(judge_counts("p99:1ms", 1000, 10, 0), VERDICT_OPEN);
    assert_int_equal(judge_counts("p99:1ms", 1000, 19, 0), VERDICT_OPEN);
    assert_int_equal(judge_counts("p99:1ms", 1000, 30, 0), VERDICT_BROKEN);
    assert_int_equal(judge_counts("p50:1ms", 100, 100, 0), VERDICT_BROKEN);
}

/* Requests that stall together are one piece of evidence, however many they are. */
static void a_stall_is_one_event(void **state)
{
    struct judge j = judge_of("p99:1ms");
    (void)state;
    for (int i = 0; i < 100; i++) {
        const struct counts piece = {.good = 10};
        judge_feed(&j, &piece, BILLION / 100, false);
    }
    assert_int_equal(judge_verdict(&j), VERDICT_KEPT);
    const struct counts stall = {.good = 200, .above = 200};
    judge_feed(&j, &stall, BILLION / 5, false);
    double effect = judge_design_effect(&j);
    assert_true(effect > 100 && effect < 300);
    assert_int_equal(judge_verdict(&j), VERDICT_OPEN);
    assert_int_equal(judge_counts("p99:1ms", 1200, 200, 0), VERDICT_BROKEN);
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
    assert_int_equal(judge_counts("max:1ms", 1000, 0, 30), VERDICT_KEPT);
    assert_int_equal(judge_counts("max:1ms", 1000, 0, 35), VERDICT_OPEN); /* this may be chance */
    assert_int_equal(judge_counts("max:1ms", 1000, 0, 60), VERDICT_BROKEN);
    assert_int_equal(judge_counts("max:1ms", 1, 0, 30), VERDICT_BROKEN);
}

/*
 * Feeds correlated latencies with a mean of `mean`: each is `memory` times the previous one plus a
 * random part. 100 of them end in a second.
 */
static enum verdict judge_dependent(uint64_t seed, double mean, double memory, double seconds,
                                    struct estimate *estimate)
{
    struct judge j = judge_of("100ms");
    struct rng rng;
    double off = 0;
    rng_init(&rng, seed, 0);
    for (int i = 0; i < seconds * 100; i++) {
        double random = (double)(rng_next(&rng) >> 11) * 0x1p-53 - .5;
        off = memory * off + random * mean;
        const struct counts one = {.good = 1, .good_ns = (uint64_t)fmax(0, mean + off)};
        judge_feed(&j, &one, BILLION / 100, false);
    }
    *estimate = judge_mean(&j);
    return judge_verdict(&j);
}

/*
 * The interval misses the true mean in at most 5 % of 400 cases, although it is examined again and
 * again, and although latencies are correlated.
 */
static void the_interval_of_the_mean_is_honest(void **state)
{
    static const double seconds[] = {1, 2, 5, 10, 20};
    int missed = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        bool is_missed = false;
        for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
            struct estimate e;
            judge_dependent(seed, 50e6, .8, seconds[i], &e);
            is_missed |= fabs(e.mean - 50e6) > e.half_width;
        }
        missed += is_missed;
    }
    assert_in_range(missed, 0, 20);
}

static void means(void **state)
{
    struct estimate e;
    (void)state;
    assert_int_equal(judge_dependent(1, 50e6, .5, 5, &e), VERDICT_KEPT);
    assert_int_equal(judge_dependent(1, 200e6, .5, 10, &e), VERDICT_BROKEN);
    assert_int_equal(judge_dependent(1, 100e6, .5, 1, &e), VERDICT_OPEN);
    assert_int_equal(judge_dependent(1, 100e6, .5, 61, &e), VERDICT_UNKNOWN);
    /* When the interval is narrow, its middle decides. */
    struct judge j = judge_of("100ms");
    for (uint64_t i = 0; i < 2000; i++) {
        const struct counts one = {.good = 1, .good_ns = i % 2 ? 90000000 : 109800000};
        judge_feed(&j, &one, BILLION / 100, false);
    }
    e = judge_mean(&j);
    assert_true(e.mean + e.half_width > 100e6 && 2 * e.half_width < .025 * 100e6);
    assert_int_equal(judge_verdict(&j), VERDICT_KEPT);
}

/* Silence breaks the limit only while requests are waiting: at a low rate none may be due. */
static void a_target_that_says_nothing(void **state)
{
    struct judge j = judge_of("100ms");
    const struct counts none = {0};
    (void)state;
    judge_feed(&j, &none, 20 * BILLION, false);
    judge_feed(&j, &none, BILLION / 2, true);
    assert_int_equal(judge_verdict(&j), VERDICT_OPEN);
    judge_feed(&j, &none, 10 * BILLION, true);
    assert_int_equal(judge_verdict(&j), VERDICT_BROKEN);
}

/* A queue that grows: its latencies never settle at a mean. */
static void a_queue_that_grows(void **state)
{
    struct judge j = judge_of("p99.9:1ms");
    (void)state;
    for (uint64_t i = 1; i <= 400 && judge_verdict(&j) == VERDICT_OPEN; i++) {
        const struct counts piece = {.good = 1, .good_ns = i * BILLION / 1000};
        judge_feed(&j, &piece, BILLION / 100, true);
    }
    assert_int_equal(judge_verdict(&j), VERDICT_BROKEN);
    assert_true(j.trend.grows);
}

/* ---- one load after another ------------------------------------------------------------------ */

/* At each look, ends one request that took `latency_ns`, until a decision is made. */
static enum move pass(struct search *s, struct standing *all, uint64_t *now_ns, uint64_t latency_ns)
{
    struct order order = {.move = MOVE_NONE};
    for (int i = 0; i < 10000 && order.move == MOVE_NONE; i++) {
        *now_ns += BILLION / 100;
        all->progress[LOAD_WRITE].begun += 10;
        all->progress[LOAD_WRITE].ended += 10;
        all->counts[LOAD_WRITE].good += 10;
        all->counts[LOAD_WRITE].good_ns += 10 * latency_ns;
        all->counts[LOAD_WRITE].above += latency_ns > s->plan->limit.nanoseconds ? 10 : 0;
        search_decide(s, all, *now_ns, &order);
    }
    return (enum move)order.move;
}

/* Unfinished requests of the previous load do not count against the next one. */
static void what_did_not_settle_is_said(void **state)
{
    static struct search s;
    struct standing all = {.busy = 0};
    uint64_t loads[LOAD_KINDS];
    uint64_t now_ns = 0;
    struct plan plan = {.limit = limit_of("max:1ms"),
                        .window_ns = BILLION,
                        .window_most_ns = 60 * BILLION,
                        .max_requests = UINT64_MAX};
    (void)state;
    plan.kinds[LOAD_WRITE] = (struct kind_plan){.pace = PACE_CLOSED, .threads = 1, .channels = 8};
    search_begin(&s, &plan, now_ns, loads);
    assert_int_equal(loads[LOAD_WRITE], 1);
    assert_int_equal(pass(&s, &all, &now_ns, 1000), MOVE_WINDOW);
    assert_int_equal(search_answer(&s, LOAD_WRITE, &all.counts[LOAD_WRITE]).load, 1);
    assert_int_equal(pass(&s, &all, &now_ns, 1000), MOVE_STEP);
    assert_int_equal(s.noted.kinds[LOAD_WRITE].verdict, VERDICT_KEPT);
    all.busy = 1;
    search_resume(&s, &all, now_ns);
    assert_int_equal(pass(&s, &all, &now_ns, BILLION), MOVE_WINDOW);
    assert_int_equal(pass(&s, &all, &now_ns, BILLION), MOVE_STEP);
    assert_int_equal(s.noted.kinds[LOAD_WRITE].verdict, VERDICT_UNSETTLED);
    struct search_answer answer = search_answer(&s, LOAD_WRITE, &all.counts[LOAD_WRITE]);
    assert_int_equal(answer.found, FOUND_UNSURE);
    assert_int_equal(answer.load, 1);
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
        cmocka_unit_test(a_stall_is_one_event),
        cmocka_unit_test(the_longest),
        cmocka_unit_test(failures),
        cmocka_unit_test(the_interval_of_the_mean_is_honest),
        cmocka_unit_test(means),
        cmocka_unit_test(a_target_that_says_nothing),
        cmocka_unit_test(a_queue_that_grows),
        cmocka_unit_test(what_did_not_settle_is_said),
        cmocka_unit_test(limits_as_users_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
