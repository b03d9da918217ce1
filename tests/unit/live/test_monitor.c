// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "live/monitor.h"
#include "measure/clock.h"
#include "sys/stop.h"

static struct shared_stats stats;

static int setup(void **state)
{
    (void)state;
    struct err e;
    err_init(&e);
    int rc = shared_stats_open(&stats, 3, &e);
    shared_stats_begin(&stats, 2);
    return rc;
}

static int teardown(void **state)
{
    (void)state;
    shared_stats_close(&stats);
    return 0;
}

static void wait_ms(long milliseconds)
{
    const struct timespec pause = {.tv_sec = milliseconds / 1000,
                                   .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static struct monitor *start(void)
{
    struct err e;
    struct monitor *m = NULL;
    const struct monitor_setup monitor_setup = {
        .title = "Test", .stats = &stats, .notes_intervals = true};
    err_init(&e);
    assert_int_equal(monitor_start(&m, &monitor_setup, &e), 0);
    return m;
}

static void end(struct monitor *m, uint64_t elapsed_ns, struct interval **intervals, size_t *count)
{
    struct err e;
    err_init(&e);
    assert_int_equal(
        monitor_end(m, &(struct reading){.ns = elapsed_ns}, intervals, count, NULL, &e), 0);
}

/* The number of intervals depends on when the machine lets this process and the monitor run. A test
 * that expects a certain number is repeated up to this many times. */
#define MAX_TRIES 30

static void repeat(bool (*try_once)(void))
{
    bool done = false;
    for (int i = 0; i < MAX_TRIES && !done; i++) {
        shared_stats_begin(&stats, 2);
        done = try_once();
    }
    assert_true(done);
}

static bool try_intervals_that_add_up(void)
{
    struct interval *intervals;
    size_t count;
    struct monitor *m = start();
    uint64_t begin = clock_ns();
    monitor_go(m, NULL);
    uint64_t ops = 0;
    while (clock_ns() - begin < 2300000000) {
        op_stats_add(&stats.workers[ops % 2].ops, 1000 + ops % 7, 512);
        ops++;
        wait_ms(1);
    }
    uint64_t elapsed = clock_ns() - begin;
    monitor_pause(m, elapsed);
    end(m, elapsed, &intervals, &count);
    uint64_t sum = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || intervals[i].end_ns > intervals[i - 1].end_ns);
        if (intervals[i].ops > 0) { /* a busy machine may let none end */
            assert_in_range(intervals[i].p50_ns, 999, 1010);
            assert_in_range(intervals[i].max_ns, 999, 1010);
        }
        sum += intervals[i].ops;
        bytes += intervals[i].bytes;
    }
    assert_int_equal(sum, ops);
    assert_int_equal(bytes, ops * 512);
    assert_int_equal(intervals[count - 1].end_ns, elapsed);
    free(intervals);
    return count == 2 || count == 3;
}

static void intervals_add_up(void **state)
{
    (void)state;
    repeat(try_intervals_that_add_up);
}

static void pauses_do_not_count(void **state)
{
    (void)state;
    struct interval *intervals;
    size_t count;
    struct monitor *m = start();
    monitor_go(m, NULL);
    monitor_pause(m, 400);
    wait_ms(1500);
    monitor_go(m, NULL);
    op_stats_add(&stats.workers[1].ops, 5, 5);
    monitor_pause(m, 1000);
    end(m, 1000, &intervals, &count);
    assert_int_equal(count, 1);
    assert_int_equal(intervals[0].ops, 1);
    assert_int_equal(intervals[0].end_ns, 1000);
    free(intervals);
}

/* The rounds' own times count, not the longer time between go and pause. */
static void the_rounds_clock_counts(void **state)
{
    (void)state;
    struct interval *intervals;
    size_t count;
    struct monitor *m = start();
    uint64_t elapsed = 0;
    for (int round = 0; round < 3; round++) {
        uint64_t begin = clock_ns();
        monitor_go(m, NULL);
        op_stats_add(&stats.workers[0].ops, 7, 1);
        wait_ms(400);
        elapsed += (clock_ns() - begin) / 10 * 9;
        monitor_pause(m, elapsed);
    }
    end(m, elapsed, &intervals, &count);
    uint64_t ops = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || intervals[i].end_ns > intervals[i - 1].end_ns);
        ops += intervals[i].ops;
    }
    assert_int_equal(ops, 3);
    assert_int_equal(intervals[count - 1].end_ns, elapsed);
    free(intervals);
}

/* A second that began in one lap goes on in the next. */
static bool try_seconds_across_laps(void)
{
    struct interval *intervals;
    size_t count;
    struct monitor *m = start();
    monitor_go(m, NULL);
    wait_ms(600);
    monitor_pause(m, 600000000);
    monitor_go(m, NULL);
    wait_ms(1200); /* the first second ends after 400 of these milliseconds */
    monitor_pause(m, 1800000000);
    end(m, 1800000000, &intervals, &count);
    assert_int_equal(intervals[count - 1].end_ns, 1800000000);
    free(intervals);
    return count == 2;
}

static void seconds_go_on_across_laps(void **state)
{
    (void)state;
    repeat(try_seconds_across_laps);
}

static void sleep_long(void *context)
{
    (void)context;
    wait_ms(800);
}

/* A monitor whose first interval ends late, after 1500 ms: a tick begins at 700 ms and takes 800
 * ms. */
static struct monitor *start_late(void)
{
    struct err e;
    struct monitor *m = NULL;
    const struct monitor_setup ticking = {.title = "Test",
                                          .stats = &stats,
                                          .notes_intervals = true,
                                          .tick = sleep_long,
                                          .tick_interval_ns = 700000000};
    err_init(&e);
    assert_int_equal(monitor_start(&m, &ticking, &e), 0);
    return m;
}

static bool try_late_end(void)
{
    struct interval *intervals;
    size_t count;
    struct monitor *m = start_late();
    monitor_go(m, NULL);
    wait_ms(2800);
    monitor_pause(m, 2800000000);
    end(m, 2800000000, &intervals, &count);
    bool is_on_time = count == 3 && intervals[1].end_ns - intervals[0].end_ns < 1000000000;
    free(intervals);
    return is_on_time; /* intervals end after 1500 and 2000 ms, and at the end */
}

static void after_a_late_end_the_next_is_on_time(void **state)
{
    (void)state;
    repeat(try_late_end);
}

/* Time goes back to before the end of the first interval. */
static void no_interval_ends_before_the_one_before_it(void **state)
{
    (void)state;
    struct interval *intervals;
    size_t count;
    struct monitor *m = start_late();
    monitor_go(m, NULL);
    wait_ms(1800);
    monitor_pause(m, 900000000);
    monitor_go(m, NULL);
    wait_ms(300);
    monitor_pause(m, 1600000000);
    end(m, 1600000000, &intervals, &count);
    for (size_t i = 1; i < count; i++)
        assert_true(intervals[i].end_ns > intervals[i - 1].end_ns);
    assert_int_equal(intervals[count - 1].end_ns, 1600000000);
    free(intervals);
}

/* The monitor may read an entry while its worker records, when the count is there but the bucket is
 * not. An interval that ends then lacks the operation; the rest of the phase has it. */
static void what_is_being_recorded_is_not_lost(void **state)
{
    (void)state;
    struct interval *intervals;
    size_t count;
    struct op_stats *ops = &stats.workers[0].ops;
    struct monitor *m = start();
    monitor_go(m, NULL);
    op_stats_add(ops, 1000, 512);
    ops->latencies.count++;
    wait_ms(1300);
    ops->latencies.count--;
    op_stats_add(ops, 1000, 512);
    monitor_pause(m,
                  900000000); /* the worker's clock was read a little before the interval ended */
    end(m, 900000000, &intervals, &count);
    assert_int_equal(count, 1);
    assert_int_equal(intervals[0].ops, 2);
    assert_int_equal(intervals[0].bytes, 1024);
    assert_int_equal(intervals[0].end_ns, 900000000);
    free(intervals);
}

/* The caller hears of the workers' end late, and the monitor later still. */
static void seconds_after_the_end_are_no_intervals(void **state)
{
    (void)state;
    struct interval *intervals;
    size_t count;
    struct monitor *m = start();
    monitor_go(m, NULL);
    for (int i = 0; i < 2; i++)
        op_stats_add(&stats.workers[0].ops, 1000, 512);
    wait_ms(3300);
    monitor_pause(m, 900000000);
    end(m, 900000000, &intervals, &count);
    assert_int_equal(count, 1);
    assert_int_equal(intervals[0].ops, 2);
    assert_int_equal(intervals[0].p50_ns, 1000);
    assert_int_equal(intervals[0].p99_ns, 0); /* which two cannot show */
    assert_int_equal(intervals[0].end_ns, 900000000);
    free(intervals);
}

/* The second interval ends after the phase, and has a single operation. */
static void an_interval_that_is_noted_again_counts_once(void **state)
{
    (void)state;
    struct interval *intervals;
    size_t count;
    uint64_t ops = 0;
    struct monitor *m = start();
    monitor_go(m, NULL);
    op_stats_add(&stats.workers[0].ops, 1000, 512);
    wait_ms(1500);
    op_stats_add(&stats.workers[0].ops, 1000, 512);
    wait_ms(1000);
    monitor_pause(m, 1800000000);
    end(m, 1800000000, &intervals, &count);
    for (size_t i = 0; i < count; i++)
        ops += intervals[i].ops;
    assert_int_equal(ops, 2);
    free(intervals);
}

static void a_phase_may_end_before_it_began(void **state)
{
    (void)state;
    end(start(), 0, NULL, NULL);
    monitor_go(NULL, NULL);
    monitor_pause(NULL, 0);
    struct interval *intervals;
    size_t count = 9;
    end(NULL, 0, &intervals, &count);
    assert_null(intervals);
    assert_int_equal(count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    struct err e;
    const struct CMUnitTest tests[] = {
        TEST(intervals_add_up),
        TEST(pauses_do_not_count),
        TEST(the_rounds_clock_counts),
        TEST(seconds_go_on_across_laps),
        TEST(after_a_late_end_the_next_is_on_time),
        TEST(no_interval_ends_before_the_one_before_it),
        TEST(what_is_being_recorded_is_not_lost),
        TEST(seconds_after_the_end_are_no_intervals),
        TEST(an_interval_that_is_noted_again_counts_once),
        TEST(a_phase_may_end_before_it_began),
    };
    err_init(&e);
    if (stop_init(&e) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
