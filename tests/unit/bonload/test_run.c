// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bonload/load/run.h"
#include "support/virtual_clock.h"
#include "util/units.h"

/* ---- a freeze ----------------------------------------------------------------------------- */

/* 1000 requests a second for six seconds, and in the middle everything stops for two. The result is
 * known exactly for a load generator that counts from the schedule. The test controls the clock. */

/* Waiting takes no time: it moves the clock to the end of the wait. */
void event_wait(struct event *event, uint32_t seen, uint64_t until_ns)
{
    (void)event, (void)seen;
    assert_int_not_equal(until_ns, EVENT_NO_DEADLINE);
    if (until_ns > virtual_clock.now_ns)
        virtual_clock.now_ns = until_ns;
}

void event_happens(struct event *event, int most)
{
    (void)event, (void)most;
}

static const struct settings no_settings;

#define RATE    1000
#define SECONDS 6
#define FREEZE  (2 * BILLION)

/* The target freezes during one request. All other requests take 10 us. */
static uint64_t frozen_number;

static enum target_answer submit(void *thread, struct request *r)
{
    (void)thread;
    virtual_clock.now_ns += r->number == frozen_number ? FREEZE : 10000;
    return TARGET_ENDED;
}

static const struct target_ops freezing = {
    .name = "freezing",
    .traits = TARGET_BLOCKS,
    .submit = submit,
    .describe = failure_describe,
};

/* With this target all requests in flight end together, 10 us later. */
#define LOOKING MILLION
static struct request *begun[2];
static unsigned begun_count;

static enum target_answer queue(void *thread, struct request *r)
{
    (void)thread;
    assert_in_range(begun_count, 0, 1);
    begun[begun_count++] = r;
    return TARGET_QUEUED;
}

static unsigned end_together(void *thread, uint64_t until_ns, struct request *done[], unsigned most)
{
    unsigned count = begun_count;
    (void)thread, (void)until_ns;
    assert_in_range(most, count, UINT_MAX);
    virtual_clock.now_ns += 10000;
    while (begun_count > 0)
        *done++ = begun[--begun_count];
    return count;
}

static void look_for_long(void *thread, struct request *r)
{
    (void)thread, (void)r;
    virtual_clock.now_ns += LOOKING;
}

static const struct target_ops queueing = {
    .name = "queueing",
    .submit = queue,
    .poll = end_together,
    .inspect = look_for_long,
    .describe = failure_describe,
};

/* Makes the whole load with one channel, in this thread. */
static void make_load(struct run *run, struct plan *plan)
{
    struct err e;
    err_init(&e);
    *plan = (struct plan){.settings = &no_settings,
                          .mode = MODE_RATE,
                          .target = &freezing,
                          .url = "X",
                          .max_requests = RATE * SECONDS};
    plan->kinds[LOAD_READ] =
        (struct kind_plan){.pace = PACE_RATE, .rate = RATE * BILLION, .channels = 1};
    virtual_clock.look_ns = 0;
    assert_int_equal(run_open(run, plan, &e), 0);
    assert_int_equal(run->thread_count, 1);
    run->start_ns = virtual_clock.now_ns;
    run_set_load(run, LOAD_READ, RATE * BILLION, run->start_ns);
    load_thread_work(&run->threads[0]);
}

static void latency_counts_from_when_requests_were_due(void **state)
{
    static struct run run;
    struct plan plan;
    (void)state;
    frozen_number = RATE * 2;
    make_load(&run, &plan);
    const struct tally *t = &run.recorders.list[0].tallies[LOAD_READ];
    const struct histogram *response = &t->response;
    assert_int_equal(response->count, RATE * SECONDS);
    /* 2000 requests waited, from 2 s down to 0: 1 % of all are the 60 longest. */
    uint64_t p99 = histogram_percentile(response, 99);
    assert_in_range(p99, 1940 * MILLION - 20 * MILLION, 1940 * MILLION + 20 * MILLION);
    assert_in_range(response->maximum, FREEZE, FREEZE + FREEZE / 100);
    /* Only one of them was served slowly. */
    assert_in_range(histogram_percentile(&t->service, 99.9), 9900, 10100);
    assert_in_range(t->late, 1990, 2040);
    run_close(&run);
}

static void without_a_freeze_nothing_is_late(void **state)
{
    static struct run run;
    struct plan plan;
    (void)state;
    frozen_number = 0;
    make_load(&run, &plan);
    const struct tally *t = &run.recorders.list[0].tallies[LOAD_READ];
    assert_int_equal(t->late, 0);
    assert_int_equal(t->response.maximum, 10000);
    assert_int_equal(virtual_clock.now_ns - run.start_ns, SECONDS * BILLION);
    run_close(&run);
}

/* More channels than CPUs, so that the first thread has two channels. */
#define CHANNELS 4096

static void looking_at_what_was_read_counts_for_no_request(void **state)
{
    static struct run run;
    struct plan plan = {.settings = &no_settings,
                        .mode = MODE_THREADS,
                        .target = &queueing,
                        .url = "X",
                        .max_requests = 2};
    struct err e;
    (void)state;
    err_init(&e);
    plan.kinds[LOAD_READ] = (struct kind_plan){.pace = PACE_CLOSED, .channels = CHANNELS};
    virtual_clock.look_ns = 0;
    assert_int_equal(run_open(&run, &plan, &e), 0);
    run_set_load(&run, LOAD_READ, CHANNELS, 0);
    load_thread_work(&run.threads[0]);
    const struct histogram *response = &run.recorders.list[0].tallies[LOAD_READ].response;
    assert_int_equal(response->count, 2);
    assert_int_equal(histogram_minimum(response), 10000);
    assert_int_equal(response->maximum, 10000);
    run_close(&run);
}

/* ---- what a thread tells ------------------------------------------------------------------ */

/* What a load thread tells of slow requests, and what another process sees of its counts. */

#define REQUESTS 100
#define FAST_NS  10000
#define SLOW_NS  (5 * MILLION)
#define ASIDE_NS (2 * MILLION)

/* By their numbers; all other requests take FAST_NS. */
enum { SLOW = 5, FAILED = 7, ALL_ASIDE = 9, PARTLY_ASIDE = 11 };

static enum target_answer submit_slowly(void *thread, struct request *r)
{
    uint64_t number = r->number;
    (void)thread;
    bool is_slow =
        number == SLOW || number == FAILED || number == ALL_ASIDE || number == PARTLY_ASIDE;
    virtual_clock.now_ns += is_slow ? SLOW_NS : FAST_NS;
    if (number == FAILED)
        r->failure = failure_of(CALL_READ, EIO);
    if (number == ALL_ASIDE)
        r->aside_ns = SLOW_NS - FAST_NS;
    if (number == PARTLY_ASIDE)
        r->aside_ns = ASIDE_NS;
    return TARGET_ENDED;
}

static const struct target_ops slow_at_times = {
    .name = "slow",
    .traits = TARGET_BLOCKS,
    .submit = submit_slowly,
    .describe = failure_describe,
};

/* Makes the load in this thread; what takes over_ns or longer goes into the box. */
static void make_slow_load(struct slow_box *box, uint64_t over_ns)
{
    static struct run run;
    const struct plan plan = {
        .settings = &no_settings,
        .mode = MODE_RATE,
        .target = &slow_at_times,
        .url = "X",
        .max_requests = REQUESTS,
        .kinds = {[LOAD_READ] = {.pace = PACE_RATE, .rate = 10000 * BILLION, .channels = 1}},
    };
    struct err e;
    err_init(&e);
    slow_box_empty(box);
    atomic_init(&box->over_ns, over_ns);
    virtual_clock.look_ns = 0;
    assert_int_equal(run_open(&run, &plan, &e), 0);
    run.threads[0].slow = box;
    run.start_ns = virtual_clock.now_ns = BILLION;
    run_set_load(&run, LOAD_READ, 10000 * BILLION, run.start_ns);
    load_thread_work(&run.threads[0]);
    assert_int_equal(load_threads_progress(&run, LOAD_READ).ended, REQUESTS);
    run_close(&run);
}

static void slow_is_what_the_thread_did_slowly(void **state)
{
    static struct slow_box box;
    struct slow_op op = {0};
    (void)state;
    /* Requests after a slow one began late, so that their latencies are long, too. */
    make_slow_load(&box, MILLION);
    assert_true(slow_box_take(&box, &op));
    assert_int_equal(op.end_ns - op.start_ns, SLOW_NS);
    assert_int_equal(op.thread, getpid());
    assert_false(op.writes);
    assert_true(slow_box_take(&box, &op));
    assert_int_equal(op.end_ns - op.start_ns, SLOW_NS - ASIDE_NS);
    assert_false(slow_box_take(&box, &op));
}

static void all_or_nothing_can_be_told(void **state)
{
    static struct slow_box box;
    (void)state;
    make_slow_load(&box, 0);
    assert_int_equal(box.put, REQUESTS - 1); /* one failed */
    make_slow_load(&box, UINT64_MAX);
    assert_int_equal(box.put, 0);
}

/* Counts a request in another process; returns how many this one sees. */
static uint64_t count_elsewhere(struct recorders *r)
{
    const struct recorder_rules rules = {.has_service = true, .limit_ns = UINT64_MAX};
    const struct request request = {.kind = LOAD_READ};
    struct histogram *sum = calloc(1, sizeof *sum);
    assert_non_null(sum);
    pid_t child = fork();
    if (child == 0) {
        recorder_add(&r->list[0], &rules, &request, 900, 100);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    recorders_sum_times(r, LOAD_READ, rules.has_service, sum);
    uint64_t count = sum->count;
    if (count > 0) {
        assert_int_equal(sum->maximum, 100);
        recorders_sum_times(r, LOAD_READ, false, sum);
        assert_int_equal(sum->maximum, 900); /* where nothing is due, the service is the response */
    }
    free(sum);
    return count;
}

static void counts_can_be_seen_by_another_process(void **state)
{
    struct recorders r;
    struct err e;
    (void)state;
    err_init(&e);
    assert_int_equal(recorders_open(&r, 2, false, &e), 0);
    assert_int_equal(count_elsewhere(&r), 0);
    recorders_close(&r);
    assert_int_equal(recorders_open(&r, 2, true, &e), 0);
    assert_int_equal(count_elsewhere(&r), 1);
    assert_int_equal(count_elsewhere(&r), 2);
    recorders_clear(&r);
    assert_int_equal(recorders_counts(&r, LOAD_READ).good, 0);
    assert_int_equal(count_elsewhere(&r), 1);
    recorders_close(&r);
}

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
            worst = fmax(worst, fabs(expected - (double)i / (double)GAPS));
            worst = fmax(worst, fabs(expected - (double)(i + 1) / (double)GAPS));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_counts_from_when_requests_were_due),
        cmocka_unit_test(without_a_freeze_nothing_is_late),
        cmocka_unit_test(looking_at_what_was_read_counts_for_no_request),
        cmocka_unit_test(slow_is_what_the_thread_did_slowly),
        cmocka_unit_test(all_or_nothing_can_be_told),
        cmocka_unit_test(counts_can_be_seen_by_another_process),
        cmocka_unit_test(constant_gaps),
        cmocka_unit_test(made_and_due_agree),
        cmocka_unit_test(a_rate_that_falls),
        cmocka_unit_test(exponential_gaps),
        cmocka_unit_test(what_is_due_of_random_gaps),
        cmocka_unit_test(ramps),
        cmocka_unit_test(jumps_and_pauses),
        cmocka_unit_test(random_gaps_of_a_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
