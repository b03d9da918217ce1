// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bonload/judge/verdict.h"
#include "util/units.h"

/* Verdicts on made-up durations. */

static struct profile_limit limit_of(double percent)
{
    return (struct profile_limit){LIMIT_ON_SYNC, "sync", percent, 10 * MILLION};
}

/* `count` durations, 50 per second: most are 1 ms, and `above` of them 20 ms, spread evenly or in
 * one stall. */
static struct judged_limit judge(unsigned count, unsigned above, bool together, double percent)
{
    struct gauge g = {.used = 0};
    const struct profile_limit limit = limit_of(percent);
    gauge_init(&g, limit.nanoseconds);
    for (unsigned i = 0; i < count; i++) {
        bool is_above = together
                            ? i >= count / 2 && i < count / 2 + above
                            : above > 0 && i % (count / above) == 0 && i / (count / above) < above;
        gauge_add(&g, (is_above ? 20 : 1) * MILLION, g.begin_ns + i * (BILLION / 50));
    }
    struct judged_limit j = verdict_on(&g, &limit, true, false);
    j.limit = NULL;
    return j;
}

static void far_below_is_good(void **state)
{
    (void)state;
    struct judged_limit j = judge(1000, 0, false, 99);
    assert_int_equal(j.goodness, GOODNESS_GOOD);
    assert_in_range(j.found_ns, 999 * 1000, 1001 * 1000);
}

static void far_above_is_bad(void **state)
{
    (void)state;
    struct judged_limit j = judge(1000, 100, false, 99);
    assert_int_equal(j.goodness, GOODNESS_BAD);
    assert_true(j.low_ns >= 19 * MILLION);
}

/* The limit allows 1 % above, so noise decides on which side of it a sample lies. */
static void at_the_limit_it_is_unknown(void **state)
{
    (void)state;
    struct judged_limit j = judge(1000, 10, false, 99);
    assert_int_equal(j.goodness, GOODNESS_UNKNOWN);
    assert_true(j.low_ns < 10 * MILLION && j.high_ns >= 10 * MILLION);
}

/* A p99 needs 299 durations: .99^299 is less than 5 %. */
static void few_say_nothing(void **state)
{
    (void)state;
    assert_int_equal(judge(298, 0, false, 99).goodness, GOODNESS_UNKNOWN);
    assert_true(judge(298, 0, false, 99).high_ns == NO_UPPER_END);
    assert_int_equal(judge(299, 0, false, 99).goodness, GOODNESS_GOOD);
    assert_int_equal(judge(0, 0, false, 99).goodness, GOODNESS_UNKNOWN);
}

/* 30 durations above the limit are one event if they are in one stall. Spread evenly, they are too
 * many to be noise. */
static void a_stall_is_one_event(void **state)
{
    (void)state;
    assert_int_equal(judge(1000, 30, false, 99).goodness, GOODNESS_BAD);
    assert_int_equal(judge(1000, 30, true, 99).goodness, GOODNESS_UNKNOWN);
}

static void the_longest_needs_one(void **state)
{
    (void)state;
    assert_int_equal(judge(5, 0, false, 100).goodness, GOODNESS_GOOD);
    assert_int_equal(judge(500, 1, false, 100).goodness, GOODNESS_BAD);
}

/* From tables of the binomial distribution, n = 300, share .01: P(K = 0) = .049, P(K <= 6) = .967,
 * P(K <= 5) = .917. */
static void ranks_are_those_of_the_binomial(void **state)
{
    (void)state;
    uint64_t upper;
    uint64_t lower;
    interval_ranks(300, 99, &upper, &lower);
    assert_int_equal(upper, 1);
    assert_int_equal(lower, 7);
}

/* There is a lower end only if it is improbable that all durations are above the percentile. */
static void few_have_no_lower_end(void **state)
{
    (void)state;
    static const double percents[] = {1, 10, 25, 50, 75, 90, 94, 95, 99};
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        for (uint64_t n = 1; n <= 300; n++) {
            uint64_t upper;
            uint64_t lower;
            interval_ranks(n, percents[i], &upper, &lower);
            double all_above = pow(1 - percents[i] / 100, (double)n);
            if (all_above < .0499 || all_above > .0501)
                assert_int_equal(lower > 0, all_above < .05);
            assert_true(lower <= n);
        }
    struct judged_limit j = judge(1, 1, false, 50);
    assert_int_equal(j.low_ns, 0);
    assert_int_equal(j.goodness, GOODNESS_UNKNOWN);
    assert_true(judge(4, 4, false, 50).low_ns == 0 && judge(5, 5, false, 50).low_ns > 0);
    assert_int_equal(judge(5, 5, false, 50).goodness, GOODNESS_BAD);
}

/* All n durations differ, by more than a bucket: 10 us, 20 us, ... */
static void the_ends_are_the_durations_of_their_ranks(void **state)
{
    (void)state;
    const struct profile_limit limit = limit_of(99);
    for (uint64_t n = 300; n <= 900; n++) {
        struct gauge g = {.used = 0};
        uint64_t upper;
        uint64_t lower;
        gauge_init(&g, limit.nanoseconds);
        for (uint64_t i = 1; i <= n; i++)
            gauge_add(&g, i * 10000, g.begin_ns + i * (BILLION / 50));
        struct judged_limit j = verdict_on(&g, &limit, true, false);
        interval_ranks(n, 99, &upper, &lower);
        assert_in_range(j.low_ns, (n - lower + 1) * 9988, (n - lower + 1) * 10012);
        assert_in_range(j.high_ns, (n - upper + 1) * 9988, (n - upper + 1) * 10012);
    }
}

/* What is judged of a gauge at less than 99 % of the load: a broken limit, and nothing else. */
static void a_load_that_was_not_made_is_not_good(void **state)
{
    (void)state;
    const struct profile_limit limit = limit_of(100);
    const struct at_load loads[] = {{.offered = 1000, .achieved = 990},
                                    {.offered = 1000, .achieved = 989},
                                    {.clients = 8, .achieved = 3}};
    const bool made[] = {true, false, true};
    for (unsigned i = 0; i < 3; i++) {
        struct gauge g = {.used = 0};
        bool is_made = at_load_is_made(&loads[i]);
        gauge_init(&g, limit.nanoseconds);
        gauge_add(&g, MILLION, g.begin_ns + 1);
        assert_int_equal(verdict_on(&g, &limit, is_made, false).goodness,
                         made[i] ? GOODNESS_GOOD : GOODNESS_UNKNOWN);
        gauge_add(&g, 20 * MILLION, g.begin_ns + 2);
        assert_int_equal(verdict_on(&g, &limit, is_made, false).goodness, GOODNESS_BAD);
    }
}

/* One of 1000 durations alone decides nothing, except where the load ended during it. */
static void a_duration_that_outlasts_the_load_is_not_good(void **state)
{
    (void)state;
    static struct gauge whole;
    const struct profile_limit limit = limit_of(99);
    const uint64_t end_ns = 30 * BILLION;
    for (unsigned hangs = 0; hangs < 2; hangs++) {
        struct gauge g = {.used = 0};
        gauge_init(&g, limit.nanoseconds);
        for (unsigned i = 0; i < 1000; i++)
            gauge_add(&g, MILLION, g.begin_ns + i * (BILLION / 50));
        gauge_add(&g, 8 * BILLION, g.begin_ns + end_ns + (hangs ? 7 : 0) * BILLION);
        gauge_end(&g, g.begin_ns + end_ns);
        struct judged_limit j = verdict_on(&g, &limit, true, false);
        assert_int_equal(j.goodness, hangs ? GOODNESS_UNKNOWN : GOODNESS_GOOD);
        assert_true(!hangs || j.high_ns == 8 * BILLION);
        whole = (struct gauge){.used = 0};
        gauge_append(&whole, &g);
        assert_int_equal(verdict_on(&whole, &limit, true, false).goodness, j.goodness);
    }
}

/* A busy machine makes good storage look bad, and never bad storage good. */
static void on_a_busy_machine_nothing_is_bad(void **state)
{
    (void)state;
    for (unsigned is_slow = 0; is_slow < 2; is_slow++) {
        struct gauge g = {.used = 0};
        const struct profile_limit limit = limit_of(99);
        gauge_init(&g, limit.nanoseconds);
        for (unsigned i = 0; i < 1000; i++)
            gauge_add(&g, (is_slow ? 20 : 1) * MILLION, g.begin_ns + i * (BILLION / 50));
        struct judged_limit j = verdict_on(&g, &limit, true, true);
        assert_int_equal(j.goodness, is_slow ? GOODNESS_UNKNOWN : GOODNESS_GOOD);
        assert_int_equal(j.is_withheld, is_slow);
    }
}

/* ---- answers ------------------------------------------------------------------------------ */

/* The first sentences of an answer: many people read no more. */

/* An answer about etcd at 50 writes per second, where a sync took 2 ms and a commit took
 * commit_ns. */
static struct answer answer_of(bool is_more_sought, enum found found, uint64_t commit_ns)
{
    struct answer a = {.profile = *profile_by_name("etcd"),
                       .load_count = 1,
                       .is_more_sought = is_more_sought,
                       .more = {.found = found, .load = found == FOUND_NONE ? 0 : 1830}};
    struct at_load *l = &a.loads[0];
    const uint64_t found_ns[] = {2 * MILLION, commit_ns};
    l->asked = 50;
    l->judged_count = 2;
    for (unsigned i = 0; i < 2; i++)
        l->judged[i] = (struct judged_limit){.limit = &profile_by_name("etcd")->limits[i],
                                             .count = 1000,
                                             .found_ns = found_ns[i],
                                             .goodness = GOODNESS_GOOD};
    return a;
}

static void answer_is(const struct answer *a, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    answers_print(a, 1, out);
    assert_int_equal(fclose(out), 0);
    char *end = strstr(text, "\n\n");
    assert_non_null(end);
    *end = '\0';
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    assert_string_equal(text, expected);
    free(text);
}

#define SYNC "etcd: good: fdatasync p99 2.00 ms at 50 writes/s, limit 10.0 ms."
static void more_is_said_of_the_deciding_limit(void **state)
{
    (void)state;
    static const char *const lines[] = {
        [FOUND_LOAD] = SYNC " Up to 1.83 k/s stay below it.",
        [FOUND_NONE] = SYNC " No higher load was found to stay below it.",
        [FOUND_MOST] = SYNC " At least 1.83 k/s stay below it.",
        [FOUND_UNSURE] = SYNC " At least 1.83 k/s stay below it; the search was not finished.",
    };
    struct answer unsought = answer_of(false, FOUND_LOAD, 1 * MILLION);
    answer_is(&unsought, SYNC);
    for (enum found found = FOUND_LOAD; found <= FOUND_UNSURE; found++) {
        struct answer a = answer_of(true, found, 1 * MILLION);
        answer_is(&a, lines[found]);
    }
}

static void why_there_is_no_more_is_said(void **state)
{
    (void)state;
    struct answer a = answer_of(true, FOUND_UNSURE, 1 * MILLION);
    a.more.why = FOUND_BUSY;
    answer_is(&a, SYNC " At least 1.83 k/s stay below it; others used the machine meanwhile.");
}

/* The search judges only the syncs. */
static void another_limit_is_named(void **state)
{
    (void)state;
    struct answer a = answer_of(true, FOUND_LOAD, 20 * MILLION);
    answer_is(
        &a, "etcd: good: backend commit p99 20.0 ms at 50 writes/s, limit 25.0 ms. Up to 1.83 k/s "
            "keep fdatasync p99 below 10.0 ms.");
}

/* Others used the machine at the first load, and the last one is not to blame. */
static void the_busy_load_is_named(void **state)
{
    (void)state;
    struct answer a = answer_of(false, FOUND_LOAD, 30 * MILLION);
    a.load_count = 2;
    a.loads[1] = a.loads[0];
    a.loads[0].judged_count = 1;
    a.loads[0].machine = (struct others){.cpus = 2, .used_percent = 96};
    struct judged_limit *j = &a.loads[1].judged[1];
    j->goodness = GOODNESS_UNKNOWN;
    j->is_withheld = true;
    j->low_ns = j->high_ns = j->found_ns;
    answer_is(&a, "etcd: not known: backend commit p99 30.0 ms at 50 writes/s, limit 25.0 ms; the "
                  "machine was "
                  "busy: others used 96 % of 2 CPUs (busy from 25 %).");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_below_is_good),
        cmocka_unit_test(far_above_is_bad),
        cmocka_unit_test(on_a_busy_machine_nothing_is_bad),
        cmocka_unit_test(at_the_limit_it_is_unknown),
        cmocka_unit_test(few_say_nothing),
        cmocka_unit_test(a_stall_is_one_event),
        cmocka_unit_test(the_longest_needs_one),
        cmocka_unit_test(ranks_are_those_of_the_binomial),
        cmocka_unit_test(few_have_no_lower_end),
        cmocka_unit_test(a_load_that_was_not_made_is_not_good),
        cmocka_unit_test(a_duration_that_outlasts_the_load_is_not_good),
        cmocka_unit_test(the_ends_are_the_durations_of_their_ranks),
        cmocka_unit_test(more_is_said_of_the_deciding_limit),
        cmocka_unit_test(why_there_is_no_more_is_said),
        cmocka_unit_test(another_limit_is_named),
        cmocka_unit_test(the_busy_load_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
