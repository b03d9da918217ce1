// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bonload/load/run.h"
#include "support/virtual_clock.h"
#include "util/units.h"

/* What a load thread tells of slow requests, and what another process sees of its counts. */

void event_wait(struct event *event, uint32_t seen, uint64_t until_ns)
{
    (void)event, (void)seen;
    if (until_ns != EVENT_NO_DEADLINE && until_ns > virtual_clock.now_ns)
        virtual_clock.now_ns = until_ns;
}

void event_happens(struct event *event, int most)
{
    (void)event, (void)most;
}

static const struct settings no_settings;

#define REQUESTS 100
#define FAST_NS  10000
#define SLOW_NS  (5 * MILLION)
#define ASIDE_NS (2 * MILLION)

/* By their numbers; all other requests take FAST_NS. */
enum { SLOW = 5, FAILED = 7, ALL_ASIDE = 9, PARTLY_ASIDE = 11 };

static enum target_answer submit(void *thread, struct request *r)
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
    .submit = submit,
    .describe = failure_describe,
};

/* Makes the load in this thread; what takes over_ns or longer goes into the box. */
static void make_load(struct slow_box *box, uint64_t over_ns)
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
    make_load(&box, MILLION);
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
    make_load(&box, 0);
    assert_int_equal(box.put, REQUESTS - 1); /* one failed */
    make_load(&box, UINT64_MAX);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_is_what_the_thread_did_slowly),
        cmocka_unit_test(all_or_nothing_can_be_told),
        cmocka_unit_test(counts_can_be_seen_by_another_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
