// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/judge/search.h"
#include "util/rng.h"
#include "util/units.h"

/* Whole searches, with the real test, on a simulated clock, for a store whose answer is
 * known. The store is a queue with one server and random arrivals: at a utilisation of u, the share
 * of requests that wait longer than a limit is exp(-c (1-u)). If this share is the allowed one at
 * the load L*, which is the fraction `knee` of the store's capacity, then it is
 * allowed^((1-u)/(1-knee)) at any load; beyond u = 1 it is 1. The mean grows as 1/(1-u). Slow
 * requests are either independent, or they are all requests that arrive during a stall, and end
 * with it. */
struct model {
    const char *limit;
    double knee;
    double stall; /* seconds; 0: independent latencies */
};

#define TICK_NS UINT64_C(10000000)
#define TICK    .01
#define ANSWER  1000.
/* Number of searches per model: by default, with scripts/test --all, and with --long. */
#define SEARCHES      20
#define SEARCHES_ALL  100
#define SEARCHES_LONG 1000

struct store {
    const struct model *model;
    struct latency_limit limit;
    struct rng rng;
    double answer; /* the answer, L* */
    double rate;   /* rate that the search has set */
    double due;    /* fraction of a request that is due */
    double left;   /* remaining seconds of a stall; 0: there is none */
    uint64_t held; /* requests that arrived during the stall */
    struct standing standing;
};

static double random_part(struct store *s)
{
    return ((double)(rng_next(&s->rng) >> 11) + .5) * 0x1p-53;
}

static double share_above(const struct store *s)
{
    double use = s->model->knee * s->rate / s->answer;
    double allowed = 1 - s->limit.percent / 100;
    return use < 1 ? pow(allowed, (1 - use) / (1 - s->model->knee)) : 1;
}

/* The mean latency in units of the limit. */
static double mean_latency(const struct store *s)
{
    double use = s->model->knee * s->rate / s->answer;
    return use < .99 ? (1 - s->model->knee) / (1 - use) : 100 * (1 - s->model->knee);
}

/* The share of time spent in stalls, which cause half of the mean latency. */
static double share_stalled(const struct store *s)
{
    if (s->limit.of == LIMIT_PERCENTILE)
        return share_above(s);
    double wait = s->model->stall * (double)BILLION / (double)s->limit.nanoseconds / 2;
    return fmin(1, mean_latency(s) / 2 / wait);
}

static void end_requests(struct store *s, uint64_t count, uint64_t above, double limits)
{
    struct counts *c = &s->standing.counts[LOAD_WRITE];
    c->good += count;
    c->above += above;
    c->good_ns += (uint64_t)(limits * (double)s->limit.nanoseconds);
    s->standing.progress[LOAD_WRITE].ended += count;
}

/* Serves requests that end independently. */
static void serve(struct store *s, uint64_t count)
{
    uint64_t above = 0;
    double limits = 0;
    bool is_mean = s->limit.of == LIMIT_MEAN;
    double share = s->model->stall > 0 ? 0 : is_mean ? 0 : share_above(s);
    double mean = !is_mean ? .5 : mean_latency(s) * (s->model->stall > 0 ? .5 : 1);
    for (uint64_t i = 0; i < count; i++) {
        bool is_above = share > 0 && random_part(s) < share;
        above += is_above;
        limits += is_above ? 2 : -mean * log(random_part(s));
    }
    end_requests(s, count, above, limits);
}

/* Advances the time of a store that stalls: requests that arrive meanwhile end with the stall. */
static void stall(struct store *s, uint64_t count)
{
    double share = share_stalled(s);
    double length = s->model->stall;
    if (s->left <= 0 && random_part(s) < TICK * share / (1 - share) / length)
        s->left = length;
    if (share >= 1) {
        s->left = 0;
        end_requests(s, count, count, 2. * (double)count);
        return;
    }
    if (s->left <= 0) {
        serve(s, count);
        return;
    }
    s->held += count;
    s->left -= TICK;
    if (s->left > TICK / 2)
        return;
    double wait =
        s->limit.of == LIMIT_MEAN ? length * (double)BILLION / (double)s->limit.nanoseconds / 2 : 2;
    end_requests(s, s->held, s->held, wait * (double)s->held);
    s->held = 0;
    s->left = 0;
}

static void pass_tick(struct store *s)
{
    s->due += s->rate * TICK;
    uint64_t count = (uint64_t)s->due;
    s->due -= (double)count;
    s->standing.progress[LOAD_WRITE].begun += count;
    if (s->model->stall > 0)
        stall(s, count);
    else
        serve(s, count);
}

struct searched {
    struct search_answer answer;
    double ratio; /* ratio of the found load to L* */
    double seconds;
};

static struct searched search_store(const struct model *m, uint64_t seed)
{
    static struct controller controller;
    struct store s = {.model = m};
    struct settings settings = {
        .search = SEARCH_RATE, .window_ns.value = BILLION, .adjust_on_errors = true};
    struct plan plan = {.settings = &settings,
                        .mode = MODE_SEARCH,
                        .window_most_ns = 60 * BILLION,
                        .max_requests = UINT64_MAX};
    struct order order = {0};
    uint64_t now_ns = 0;
    rng_init(&s.rng, seed, 0);
    assert_int_equal(latency_limit_parse(m->limit, &s.limit), 0);
    settings.limit = s.limit;
    plan.kinds[LOAD_WRITE] = (struct kind_plan){.pace = PACE_RATE, .rate = 100 * BILLION};
    s.answer =
        ANSWER * exp2(random_part(&s) - .5); /* the answer is anywhere between two doublings */
    controller_begin(&controller, &plan, now_ns, order.loads);
    for (order.move = MOVE_STEP; order.move != MOVE_LAST_STEP;) {
        if (order.move == MOVE_PAUSE)
            s.rate = 0;
        if (order.move == MOVE_STEP)
            s.rate = (double)order.loads[LOAD_WRITE] / (double)BILLION;
        pass_tick(&s);
        now_ns += TICK_NS;
        s.standing.busy = s.held > 0;
        controller_decide(&controller, &s.standing, now_ns, &order);
    }
    struct search_answer answer =
        search_answer(&controller, LOAD_WRITE, &s.standing.counts[LOAD_WRITE]);
    return (struct searched){answer, answer.load / s.answer, (double)now_ns / (double)BILLION};
}

static int compare(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

/* The results of this number of searches: a row of the table in docs/evidence/search.md. */
static void hold_promises(const struct model *m, unsigned count, bool is_promised)
{
    static double seconds[SEARCHES_LONG];
    unsigned high = 0;
    unsigned low = 0;
    unsigned unknown = 0;
    for (unsigned i = 0; i < count; i++) {
        struct searched found = search_store(m, i);
        bool is_found = found.answer.found == FOUND_LOAD;
        high += is_found && found.ratio > 1.05;
        low += is_found && found.ratio < .9;
        unknown += !is_found;
        seconds[i] = found.seconds;
    }
    qsort(seconds, count, sizeof *seconds, compare);
    print_message(
        "| %-10s | %.0f %% | %3.0f ms | %4.1f %% | %4.1f %% | %4.1f %% | %3.0f s | %3.0f s "
        "| %3.0f s |\n",
        m->limit, 100 * m->knee, 1000 * m->stall, 100. * high / count, 100. * low / count,
        100. * unknown / count, seconds[count / 2], seconds[count * 95 / 100], seconds[count - 1]);
    assert_true(high <= .05 * count);
    if (is_promised)
        assert_true(low <= .05 * count && unknown <= .05 * count);
}

static void searches(void **state)
{
    static const struct model promised[] = {
        {"p99:20ms", .9, 0},   {"p99:20ms", .9, .02},   {"p99:20ms", .9, .2},
        {"p90:20ms", .9, 0},   {"p90:20ms", .9, .02},   {"p90:20ms", .9, .2},
        {"p99.9:20ms", .9, 0}, {"p99.9:20ms", .9, .02}, {"p99.9:20ms", .9, .2},
        {"20ms", .9, 0},       {"5ms", .9, .02},        {"20ms", .9, .2},
    };
    /* With a less sharp knee, a minute has too few stalls to tell loads apart. */
    static const struct model smooth[] = {
        {"p99:20ms", .8, 0}, {"p99:20ms", .8, .02}, {"p99:20ms", .8, .2},
        {"20ms", .8, 0},     {"5ms", .8, .02},      {"20ms", .8, .2},
    };
    unsigned count = getenv("BONNIE_TEST_LONG")  ? SEARCHES_LONG
                     : getenv("BONNIE_TEST_ALL") ? SEARCHES_ALL
                                                 : SEARCHES;
    (void)state;
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
        hold_promises(&promised[i], count, true);
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++)
        hold_promises(&smooth[i], count, false);
}

/* A store that is fast, but stands still for `length` seconds now and then, whatever the load:
 * 1.96 % of its requests are late, so no load keeps p99. */
struct stalls {
    double length;
    double every; /* mean time between their beginnings, in seconds */
    double left;  /* remaining seconds of a stall */
    uint64_t held;
};

#define STALLED_RATE 1000 /* requests per second */

/* Requests that end in the next tick. Gaps between stalls are exponential. */
static struct counts pass_stalled(struct stalls *s, struct rng *rng)
{
    const uint64_t count = (uint64_t)(STALLED_RATE * TICK);
    double random = ((double)(rng_next(rng) >> 11) + .5) * 0x1p-53;
    struct counts ended = {.good = count};
    if (s->left <= 0 && random < TICK / (s->every - s->length))
        s->left = s->length;
    if (s->left <= 0)
        return ended;
    s->held += count;
    s->left -= TICK;
    if (s->left > TICK / 2)
        return (struct counts){0};
    ended.good = ended.above = s->held;
    s->left = 0;
    s->held = 0;
    return ended;
}

/* Whether a window of a search with these windows says that the store keeps p99, when the requests
 * that are in flight at its end have ended. */
static bool window_keeps(struct stalls *s, struct rng *rng, double window, double longest,
                         double alpha)
{
    struct sequential_test test;
    const struct sequential_test_rules rules = {
        .limit = {.of = LIMIT_PERCENTILE, .percent = 99, .nanoseconds = 20 * MILLION},
        .alpha = alpha,
        .stall_ns = (uint64_t)(window * 1e7),
        .most_ns = (uint64_t)(longest * 1e9),
    };
    enum verdict verdict = VERDICT_OPEN;
    sequential_test_begin(&test, &rules);
    while (verdict == VERDICT_OPEN || (double)test.elapsed_ns < window * 1e9) {
        const struct counts ended = pass_stalled(s, rng);
        sequential_test_feed(&test, &ended, TICK_NS, s->held > 0);
        verdict = sequential_test_verdict(&test);
    }
    struct counts seen = test.seen;
    seen.good += s->held;
    seen.above += s->held;
    return verdict == VERDICT_KEPT && sequential_test_seems_kept(&rules, &seen);
}

/* What docs/evidence/search.md says of rare stalls: in how many of the trials a first window keeps
 * the limit, and in how many a confirmation keeps it, too. */
static void rare_stalls(void **state)
{
    static const struct stalls shapes[] = {
        {.02, 1.02, 0, 0}, {.05, 2.55, 0, 0}, {.2, 10.2, 0, 0}, {.5, 25.5, 0, 0}, {2, 102, 0, 0}};
    static const double windows[][2] = {{1, 60}, {30, 600}};
    unsigned count = getenv("BONNIE_TEST_LONG") ? SEARCHES_LONG : SEARCHES;
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        unsigned kept[2] = {0};
        unsigned confirmed[2] = {0};
        for (unsigned k = 0; k < 2 * count; k++) {
            const double *w = windows[k % 2];
            struct stalls s = shapes[i];
            struct rng rng;
            rng_init(&rng, k / 2, i);
            bool is_kept = window_keeps(&s, &rng, w[0], w[1], .05);
            kept[k % 2] += is_kept;
            confirmed[k % 2] += is_kept && window_keeps(&s, &rng, 3 * w[0], 3 * w[1], .025);
        }
        print_message("| %4.2f s every %6.2f s | %4.1f %% | %4.1f %% | %4.1f %% | %4.1f %% |\n",
                      shapes[i].length, shapes[i].every, 100. * kept[0] / count,
                      100. * confirmed[0] / count, 100. * kept[1] / count,
                      100. * confirmed[1] / count);
        assert_true(confirmed[1] <= kept[1] && confirmed[0] <= kept[0]);
        if (shapes[i].length <= .02) /* twice what is assumed unseen */
            assert_true(confirmed[0] <= .05 * count);
    }
}

/* Why a search finds no load when all requests are late, whatever the load; with one that never
 * ends, what is late may belong to an earlier load. */
static enum found_why why_none(bool one_hangs)
{
    static struct controller controller;
    struct settings settings = {.search = SEARCH_RATE, .window_ns.value = BILLION};
    struct plan plan = {.settings = &settings,
                        .mode = MODE_SEARCH,
                        .window_most_ns = 60 * BILLION,
                        .max_requests = UINT64_MAX};
    struct standing all = {.busy = one_hangs, .progress[LOAD_WRITE].begun = one_hangs};
    struct store s = {.standing = all};
    struct order order = {0};
    assert_int_equal(latency_limit_parse("p99:20ms", &s.limit), 0);
    settings.limit = s.limit;
    plan.kinds[LOAD_WRITE] = (struct kind_plan){.pace = PACE_RATE, .rate = 1000 * BILLION};
    controller_begin(&controller, &plan, 0, order.loads);
    order.move = MOVE_STEP;
    for (uint64_t now_ns = TICK_NS; order.move != MOVE_LAST_STEP; now_ns += TICK_NS) {
        if (order.move == MOVE_PAUSE || order.move == MOVE_STEP)
            s.rate = order.move == MOVE_STEP ? (double)order.loads[LOAD_WRITE] / 1e9 : 0;
        s.due += s.rate * TICK;
        uint64_t count = (uint64_t)s.due;
        s.due -= (double)count;
        s.standing.progress[LOAD_WRITE].begun += count;
        end_requests(&s, count, count, 2. * (double)count);
        controller_decide(&controller, &s.standing, now_ns, &order);
    }
    return search_answer(&controller, LOAD_WRITE, &s.standing.counts[LOAD_WRITE]).why;
}

static void an_unsettled_load_does_not_show_that_less_helps_nothing(void **state)
{
    (void)state;
    assert_int_equal(why_none(false), FOUND_NO_CAUSE);
    assert_int_equal(why_none(true), FOUND_BY_STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches), cmocka_unit_test(rare_stalls),
        cmocka_unit_test(an_unsettled_load_does_not_show_that_less_helps_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
