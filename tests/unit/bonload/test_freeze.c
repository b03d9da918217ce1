// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "bonload/load/run.h"
#include "support/virtual_clock.h"
#include "util/units.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_counts_from_when_requests_were_due),
        cmocka_unit_test(without_a_freeze_nothing_is_late),
        cmocka_unit_test(looking_at_what_was_read_counts_for_no_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
