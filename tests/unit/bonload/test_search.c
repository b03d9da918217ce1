// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "bonload/judge/search.h"
#include "util/rng.h"
#include "util/units.h"

/* ---- the steps of a search ------------------------------------------------------------------- */

/* Searches a load, where every load up to `keeps` keeps the limit. Returns the number of steps. */
static int climb(struct kind_search *l, double first, double most, bool is_whole, double keeps)
{
    int steps = 0;
    kind_search_begin(l, first, most, is_whole);
    while (l->found == FOUND_UNSURE) {
        if (l->load <= keeps)
            kind_search_step_up(l);
        else
            kind_search_step_back(l, VERDICT_BROKEN);
        assert_true(++steps < 100);
    }
    return steps;
}

static void threads_are_found(void **state)
{
    struct kind_search l;
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
    struct kind_search l;
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
    struct kind_search l;
    (void)state;
    for (double keeps = 3; keeps < 1e6; keeps *= 1.37) {
        climb(&l, 100, 1e9, false, keeps);
        assert_int_equal(l.found, FOUND_LOAD);
        assert_true(l.load <= keeps && l.load >= keeps * .95 - 1e-9);
    }
}

static void an_answer_that_is_not_confirmed(void **state)
{
    struct kind_search l;
    (void)state;
    climb(&l, 1, 500, true, 20);
    kind_search_step_down(&l, VERDICT_BROKEN);
    assert_int_equal((int)l.load, 19);
    climb(&l, 1, 500, true, 1);
    kind_search_step_down(&l, VERDICT_BROKEN);
    assert_int_equal(l.found, FOUND_NONE);
    climb(&l, 100, 1e9, false, 1000);
    double before = l.load;
    kind_search_step_down(&l, VERDICT_BROKEN);
    assert_true(fabs(l.load - .95 * before) < 1e-9);
}

/* A bound that was broken while the machine was busy is tried again, and gives way. */
static void a_doubtful_bound_is_tried_again(void **state)
{
    struct kind_search l;
    (void)state;
    kind_search_begin(&l, 100, 1e9, false);
    while (l.load < 1600)
        kind_search_step_up(&l);
    kind_search_step_back(&l, VERDICT_BUSY);
    while (l.load < 1600)
        kind_search_step_up(&l);
    assert_int_equal((int)l.load, 1600);
    assert_int_equal(l.found, FOUND_UNSURE);
    kind_search_step_up(&l);
    assert_int_equal((int)l.load, 3200);
    kind_search_step_back(&l, VERDICT_BUSY);
    while (l.found == FOUND_UNSURE && l.load < 3200)
        kind_search_step_up(&l);
    kind_search_step_back(&l, VERDICT_BUSY);
    assert_int_equal(l.found, FOUND_LOAD);
    assert_int_equal(l.why, VERDICT_BUSY);
    assert_true(l.load >= .95 * 3200 && l.load < 3200);
}

/* Less load makes no machine idle: a search where every load breaks the limit ends earlier
 * there. */
static void a_busy_machine_ends_a_search(void **state)
{
    static const struct {
        enum verdict why;
        double least;
    } cases[] = {{VERDICT_BUSY, 1024. / 16}, {VERDICT_BROKEN, 1}, {VERDICT_UNSETTLED, 1}};
    struct kind_search l;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kind_search_begin(&l, 1024, 1e9, false);
        while (l.found == FOUND_UNSURE)
            kind_search_step_back(&l, cases[i].why);
        assert_int_equal(l.found, FOUND_NONE);
        assert_true(fabs(l.load - cases[i].least) < 1e-9);
    }
}

/* What kept the limit below a load that broke it has not been refuted. */
static void what_was_never_refuted_stays(void **state)
{
    struct kind_search l;
    (void)state;
    kind_search_begin(&l, 250, 16000, false);
    while (l.found == FOUND_UNSURE)
        kind_search_step_up(&l);
    assert_int_equal(l.found, FOUND_MOST);
    kind_search_step_down(&l, VERDICT_BROKEN);
    assert_int_equal((int)kind_search_kept(&l), 8000);
    for (int i = 0; i < 20; i++)
        kind_search_step_down(&l, VERDICT_BROKEN);
    assert_int_equal((int)kind_search_kept(&l), 4000);
}

/* ---- whether a load keeps the limit ---------------------------------------------------------- */

static struct latency_limit limit_of(const char *text)
{
    struct latency_limit limit;
    assert_int_equal(latency_limit_parse(text, &limit), 0);
    return limit;
}

static struct sequential_test sequential_test_of(const char *text)
{
    struct sequential_test j;
    const struct sequential_test_rules rules = {.limit = limit_of(text),
                                                .counts_errors = true,
                                                .alpha = .05,
                                                .stall_ns = BILLION / 1000,
                                                .most_ns = 60 * BILLION};
    sequential_test_begin(&j, &rules);
    return j;
}

/* The verdict of a test that has seen this number of requests within a second, one by one, with
 * the slow ones spread evenly. */
static enum verdict sequential_test_counts(const char *text, uint64_t good, uint64_t above,
                                           uint64_t errors)
{
    struct sequential_test j = sequential_test_of(text);
    const struct counts failed = {.errors = errors};
    sequential_test_feed(&j, &failed, 0, false);
    for (uint64_t i = 0; i < good; i++) {
        bool is_above = (i + 1) * above / good > i * above / good;
        const struct counts one = {.good = 1, .above = is_above};
        sequential_test_feed(&j, &one, BILLION / good, false);
    }
    return sequential_test_verdict(&j);
}

/* An interval that is examined only once would have tighter bounds: 301 and 19. */
static void percentiles(void **state)
{
    (void)state;
    assert_int_equal(sequential_test_counts("p99:1ms", 400, 0, 0), VERDICT_OPEN);
    assert_int_equal(sequential_test_counts("p99:1ms", 420, 0, 0), VERDICT_KEPT);
    assert_int_equal(sequential_test_counts("p99:1ms", 1000, 10, 0), VERDICT_OPEN);
    assert_int_equal(sequential_test_counts("p99:1ms", 1000, 19, 0), VERDICT_OPEN);
    assert_int_equal(sequential_test_counts("p99:1ms", 1000, 30, 0), VERDICT_BROKEN);
    assert_int_equal(sequential_test_counts("p50:1ms", 100, 100, 0), VERDICT_BROKEN);
}

/* Requests that stall together are one piece of evidence, however many they are. */
static void a_stall_is_one_event(void **state)
{
    struct sequential_test j = sequential_test_of("p99:1ms");
    (void)state;
    for (int i = 0; i < 100; i++) {
        const struct counts piece = {.good = 10};
        sequential_test_feed(&j, &piece, BILLION / 100, false);
    }
    assert_int_equal(sequential_test_verdict(&j), VERDICT_KEPT);
    const struct counts stall = {.good = 200, .above = 200};
    sequential_test_feed(&j, &stall, BILLION / 5, false);
    double effect = sequential_test_design_effect(&j);
    assert_true(effect > 100 && effect < 300);
    assert_int_equal(sequential_test_verdict(&j), VERDICT_OPEN);
    assert_int_equal(sequential_test_counts("p99:1ms", 1200, 200, 0), VERDICT_BROKEN);
}

static void the_longest(void **state)
{
    (void)state;
    assert_int_equal(sequential_test_counts("max:1ms", 1, 1, 0), VERDICT_BROKEN);
    assert_int_equal(sequential_test_counts("max:1ms", 999, 0, 0), VERDICT_OPEN);
    assert_int_equal(sequential_test_counts("max:1ms", 1000, 0, 0), VERDICT_KEPT);
}

static void failures(void **state)
{
    (void)state;
    assert_int_equal(sequential_test_counts("max:1ms", 1000, 0, 30), VERDICT_KEPT);
    assert_int_equal(sequential_test_counts("max:1ms", 1000, 0, 35),
                     VERDICT_OPEN); /* this may be chance */
    assert_int_equal(sequential_test_counts("max:1ms", 1000, 0, 60), VERDICT_BROKEN);
    assert_int_equal(sequential_test_counts("max:1ms", 1, 0, 30), VERDICT_BROKEN);
}

/* Feeds correlated latencies with a mean of `mean`: each is `memory` times the previous one plus a
 * random part. 100 of them end in a second. */
static enum verdict sequential_test_dependent(uint64_t seed, double mean, double memory,
                                              double seconds, struct estimate *estimate)
{
    struct sequential_test j = sequential_test_of("100ms");
    struct rng rng;
    double off = 0;
    rng_init(&rng, seed, 0);
    for (int i = 0; i < seconds * 100; i++) {
        double random = (double)(rng_next(&rng) >> 11) * 0x1p-53 - .5;
        off = memory * off + random * mean;
        const struct counts one = {.good = 1, .good_ns = (uint64_t)fmax(0, mean + off)};
        sequential_test_feed(&j, &one, BILLION / 100, false);
    }
    *estimate = sequential_test_mean(&j);
    return sequential_test_verdict(&j);
}

/* The interval misses the true mean in at most 5 % of 400 cases, although it is examined again and
 * again, and although latencies are correlated. */
static void the_interval_of_the_mean_is_honest(void **state)
{
    static const double seconds[] = {1, 2, 5, 10, 20};
    int missed = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        bool is_missed = false;
        for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
            struct estimate e;
            sequential_test_dependent(seed, 50e6, .8, seconds[i], &e);
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
    assert_int_equal(sequential_test_dependent(1, 50e6, .5, 5, &e), VERDICT_KEPT);
    assert_int_equal(sequential_test_dependent(1, 200e6, .5, 10, &e), VERDICT_BROKEN);
    assert_int_equal(sequential_test_dependent(1, 100e6, .5, 1, &e), VERDICT_OPEN);
    assert_int_equal(sequential_test_dependent(1, 100e6, .5, 61, &e), VERDICT_UNKNOWN);
    /* When the interval is narrow, its middle decides. */
    struct sequential_test j = sequential_test_of("100ms");
    for (uint64_t i = 0; i < 2000; i++) {
        const struct counts one = {.good = 1, .good_ns = i % 2 ? 90000000 : 109800000};
        sequential_test_feed(&j, &one, BILLION / 100, false);
    }
    e = sequential_test_mean(&j);
    assert_true(e.mean + e.half_width > 100e6 && 2 * e.half_width < .025 * 100e6);
    assert_int_equal(sequential_test_verdict(&j), VERDICT_KEPT);
}

/* Silence breaks the limit only while requests are waiting: at a low rate none may be due. */
static void a_target_that_says_nothing(void **state)
{
    struct sequential_test j = sequential_test_of("100ms");
    const struct counts none = {0};
    (void)state;
    sequential_test_feed(&j, &none, 20 * BILLION, false);
    sequential_test_feed(&j, &none, BILLION / 2, true);
    assert_int_equal(sequential_test_verdict(&j), VERDICT_OPEN);
    sequential_test_feed(&j, &none, 10 * BILLION, true);
    assert_int_equal(sequential_test_verdict(&j), VERDICT_BROKEN);
}

/* A queue that grows: its latencies never settle at a mean. */
static void a_queue_that_grows(void **state)
{
    struct sequential_test j = sequential_test_of("p99.9:1ms");
    (void)state;
    for (uint64_t i = 1; i <= 400 && sequential_test_verdict(&j) == VERDICT_OPEN; i++) {
        const struct counts piece = {.good = 1, .good_ns = i * BILLION / 1000};
        sequential_test_feed(&j, &piece, BILLION / 100, true);
    }
    assert_int_equal(sequential_test_verdict(&j), VERDICT_BROKEN);
    assert_true(j.trend.grows);
}

/* ---- one load after another ------------------------------------------------------------------ */

/* A search for a rate of writes, or a number of threads, at one look after another. */
struct hunt {
    struct controller controller;
    struct settings settings;
    struct plan plan;
    struct standing all;
    uint64_t now_ns;
    uint64_t loads[LOAD_KINDS];
};

static void begin_hunt(struct hunt *c, const char *limit, struct kind_plan writes)
{
    *c = (struct hunt){.settings = {.limit = limit_of(limit),
                                    .search = writes.rate > 0 ? SEARCH_RATE : SEARCH_THREADS,
                                    .window_ns.value = BILLION,
                                    .adjust_on_errors = true},
                       .plan = {.settings = &c->settings,
                                .mode = MODE_SEARCH,
                                .window_most_ns = 60 * BILLION,
                                .max_requests = UINT64_MAX}};
    c->plan.kinds[LOAD_WRITE] = writes;
    controller_begin(&c->controller, &c->plan, 0, c->loads);
}

static void end_writes(struct hunt *c, uint64_t count, uint64_t latency_ns)
{
    c->all.progress[LOAD_WRITE].begun += count;
    c->all.progress[LOAD_WRITE].ended += count;
    c->all.counts[LOAD_WRITE].good += count;
    c->all.counts[LOAD_WRITE].good_ns += count * latency_ns;
    c->all.counts[LOAD_WRITE].above += latency_ns > c->settings.limit.nanoseconds ? count : 0;
}

/* At each look, ends `count` requests, of which each hundredth is late, until the next decision. */
static enum move pass(struct hunt *c, uint64_t count, uint64_t latency_ns, uint64_t late)
{
    struct order order = {.move = MOVE_NONE};
    for (int i = 0; i < 10000 && order.move == MOVE_NONE; i++) {
        c->now_ns += BILLION / 100;
        end_writes(c, count - late, latency_ns);
        end_writes(c, late, 2 * c->settings.limit.nanoseconds);
        controller_decide(&c->controller, &c->all, c->now_ns, &order);
    }
    return (enum move)order.move;
}

/* Ends the pause; one in which requests stay in flight takes the longest time. */
static enum move end_step(struct hunt *c, uint64_t paused_ns)
{
    struct order order;
    c->now_ns += c->all.busy > 0 ? MAX_PAUSE_NS : paused_ns;
    controller_decide(&c->controller, &c->all, c->now_ns, &order);
    memcpy(c->loads, order.loads, sizeof c->loads);
    return (enum move)order.move;
}

static enum verdict noted(const struct hunt *c)
{
    return c->controller.noted.kinds[LOAD_WRITE].verdict;
}

static struct search_answer answer_of(const struct hunt *c)
{
    return search_answer(&c->controller, LOAD_WRITE, &c->all.counts[LOAD_WRITE]);
}

static const struct kind_plan eight_threads = {.pace = PACE_CLOSED, .threads = 1, .channels = 8};

/* Unfinished requests of the previous load do not count against the next one. */
static void what_did_not_settle_is_said(void **state)
{
    static struct hunt c;
    (void)state;
    begin_hunt(&c, "max:1ms", eight_threads);
    assert_int_equal(c.loads[LOAD_WRITE], 1);
    assert_int_equal(pass(&c, 10, 1000, 0), MOVE_WINDOW);
    assert_int_equal(answer_of(&c).load, 1);
    assert_int_equal(pass(&c, 10, 1000, 0), MOVE_PAUSE);
    c.all.busy = 1;
    assert_int_equal(end_step(&c, 0), MOVE_STEP);
    assert_int_equal(noted(&c), VERDICT_KEPT);
    assert_int_equal(pass(&c, 10, BILLION, 0), MOVE_WINDOW);
    assert_int_equal(pass(&c, 10, BILLION, 0), MOVE_PAUSE);
    assert_int_equal(end_step(&c, 0), MOVE_STEP);
    assert_int_equal(noted(&c), VERDICT_UNSETTLED);
    assert_int_equal(answer_of(&c).found, FOUND_UNSURE);
    assert_int_equal(answer_of(&c).load, 1);
}

/* Requests that are in flight when the window knows its answer belong to it, and are the
 * longest. */
static void what_ends_in_the_pause_counts(void **state)
{
    static struct hunt c;
    (void)state;
    for (int has_ended = 0; has_ended < 2; has_ended++) {
        begin_hunt(&c, "300ms", eight_threads);
        pass(&c, 1, 100 * MILLION, 0);
        assert_int_equal(pass(&c, 1, 100 * MILLION, 0), MOVE_PAUSE);
        uint64_t seen = c.controller.tests[LOAD_WRITE].seen.good;
        if (has_ended) {
            end_writes(&c, seen, 700 * MILLION);
        } else {
            c.all.progress[LOAD_WRITE].begun += seen;
            c.all.busy = 1;
        }
        end_step(&c, 700 * MILLION);
        assert_true(noted(&c) != VERDICT_KEPT);
    }
}

/* A load of 1000 a second, of which the same share is late at any load: others use the machine. A
 * search that halves the load a thousand times ends nowhere. */
static void less_load_that_does_not_help(void **state)
{
    static struct hunt c;
    const struct kind_plan rate = {.pace = PACE_RATE, .rate = 1600 * BILLION};
    (void)state;
    for (unsigned busy = 0; busy < 2; busy++) {
        enum move move = MOVE_STEP;
        int steps = 0;
        begin_hunt(&c, "p99:10ms", rate);
        while (move == MOVE_STEP) {
            uint64_t count = c.loads[LOAD_WRITE] / BILLION / 100;
            assert_int_equal(pass(&c, count, MILLION, count / 2), MOVE_WINDOW);
            assert_int_equal(pass(&c, count, MILLION, count / 2), MOVE_PAUSE);
            c.all.disturbed = busy;
            move = end_step(&c, 0);
            assert_int_equal(noted(&c), busy ? VERDICT_BUSY : VERDICT_BROKEN);
            steps++;
        }
        assert_int_equal(steps, 4);
        assert_int_equal(answer_of(&c).found, busy ? FOUND_UNSURE : FOUND_NONE);
        assert_int_equal(answer_of(&c).why, busy ? FOUND_NO_CAUSE_BUSY : FOUND_NO_CAUSE);
    }
}

/* More than the store can do is not made: then an eighth of it may not help, and a 64th does. */
static void an_overload_says_nothing_of_less(void **state)
{
    static struct hunt c;
    const struct kind_plan rate = {.pace = PACE_RATE, .rate = 51200 * BILLION};
    enum move move = MOVE_STEP;
    (void)state;
    begin_hunt(&c, "p99:10ms", rate);
    while (move == MOVE_STEP && c.controller.kind_searches[LOAD_WRITE].count == 0) {
        bool is_over = c.loads[LOAD_WRITE] > 1000 * BILLION;
        assert_int_equal(pass(&c, 8, is_over ? BILLION : MILLION, 0), MOVE_WINDOW);
        assert_int_equal(pass(&c, 8, is_over ? BILLION : MILLION, 0), MOVE_PAUSE);
        move = end_step(&c, 0);
    }
    assert_int_equal(noted(&c), VERDICT_KEPT);
}

/* Six steps are kept; then others begin to work, and the time is over. */
static void what_was_kept_stays(void **state)
{
    static struct hunt c;
    const struct kind_plan rate = {.pace = PACE_RATE, .rate = 1000 * BILLION};
    enum move move = MOVE_STEP;
    (void)state;
    begin_hunt(&c, "p99:10ms", rate);
    while (!c.controller.is_confirming) {
        uint64_t count = c.loads[LOAD_WRITE] / BILLION / 100;
        bool is_over = count > 160;
        pass(&c, count, is_over ? BILLION : MILLION, 0);
        pass(&c, count, is_over ? BILLION : MILLION, 0);
        move = end_step(&c, 0);
        assert_int_equal(move, MOVE_STEP);
    }
    double sought = c.controller.kind_searches[LOAD_WRITE].load;
    pass(&c, 100, BILLION, 0);
    pass(&c, 100, BILLION, 0);
    c.all.disturbed = 1;
    assert_int_equal(end_step(&c, 0), MOVE_STEP);
    assert_int_equal(answer_of(&c).found, FOUND_UNSURE);
    assert_true(answer_of(&c).load >= 8000 && answer_of(&c).load < sought);
}

static void limits_as_users_write_them(void **state)
{
    struct latency_limit limit;
    (void)state;
    limit = limit_of("p99.9:1.5ms");
    assert_int_equal(limit.of, LIMIT_PERCENTILE);
    assert_int_equal(limit.nanoseconds, 1500000);
    assert_string_equal(latency_limit_name(&limit).text, "p99.9");
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
        cmocka_unit_test(a_doubtful_bound_is_tried_again),
        cmocka_unit_test(a_busy_machine_ends_a_search),
        cmocka_unit_test(what_was_never_refuted_stays),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(a_stall_is_one_event),
        cmocka_unit_test(the_longest),
        cmocka_unit_test(failures),
        cmocka_unit_test(the_interval_of_the_mean_is_honest),
        cmocka_unit_test(means),
        cmocka_unit_test(a_target_that_says_nothing),
        cmocka_unit_test(a_queue_that_grows),
        cmocka_unit_test(what_did_not_settle_is_said),
        cmocka_unit_test(what_ends_in_the_pause_counts),
        cmocka_unit_test(less_load_that_does_not_help),
        cmocka_unit_test(an_overload_says_nothing_of_less),
        cmocka_unit_test(what_was_kept_stays),
        cmocka_unit_test(limits_as_users_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
