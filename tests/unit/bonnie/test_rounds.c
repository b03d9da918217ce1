// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bonnie/rounds.h"

#define SECOND UINT64_C(1000000000)
#define CHUNK  UINT64_C(1024)

/* A device with a known speed in each round. A round takes a second, half of it CPU time. */
struct device_of {
    struct reading spent;
    struct shared_stats stats;
    struct rounds rounds;
};

static void open_device(struct device_of *d, enum round_metric metric, unsigned most)
{
    struct err e;
    err_init(&e);
    *d = (struct device_of){.spent.device.known = true};
    assert_int_equal(shared_stats_open(&d->stats, 2, &e), 0);
    shared_stats_begin(&d->stats, 2);
    d->rounds =
        (struct rounds){.spent = &d->spent, .stats = &d->stats, .metric = metric, .most = most};
    assert_int_equal(rounds_open(&d->rounds, &e), 0);
}

static void close_device(struct device_of *d)
{
    rounds_close(&d->rounds);
    shared_stats_close(&d->stats);
}

/* A round of this number of operations, which two workers share. Each takes an equal part of the
 * time. */
static bool round_at(struct device_of *d, unsigned ops)
{
    for (unsigned i = 0; i < ops; i++)
        op_stats_add(&d->stats.workers[i % 2].ops, 2 * SECOND / ops, CHUNK);
    d->spent.ns += SECOND;
    d->spent.work_ns += SECOND / 2;
    d->spent.device.read_bytes += ops * CHUNK;
    d->spent.device.busy_ns[0] += SECOND / 2;
    return rounds_end(&d->rounds);
}

/* The number of rounds that the rule asks for. After the given speeds, the last one continues. */
static unsigned rounds_at(struct device_of *d, const unsigned speeds[], size_t count)
{
    size_t i = 0;
    while (round_at(d, speeds[i < count ? i : count - 1]))
        i++;
    return d->rounds.count;
}

static void expect_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-3 * fabs(expected))
        fail_msg("%.9g instead of %.9g", value, expected);
}

static void constant_speed_is_steady_in_round_five(void **state)
{
    (void)state;
    struct device_of d;
    const unsigned speeds[] = {1000};
    for (enum round_metric metric = 0; metric < ROUND_METRICS; metric++) {
        open_device(&d, metric, 25);
        assert_int_equal(rounds_at(&d, speeds, 1), 5);
        assert_true(d.rounds.is_steady);
        expect_near(d.rounds.fit.mean, metric <= ROUND_BANDWIDTH ? 1000 : 2e6);
        close_device(&d);
    }
}

/* The figures cover only the last five rounds: operations, times and devices. */
static void steps_are_left_behind(void **state)
{
    (void)state;
    struct device_of d;
    const unsigned speeds[] = {8000, 6000, 5000};
    struct op_stats *stats = calloc(1, sizeof *stats);
    struct reading spent;
    assert_non_null(stats);
    open_device(&d, ROUND_IOPS, 25);
    assert_int_equal(rounds_at(&d, speeds, 3), 7);
    assert_true(d.rounds.is_steady);
    rounds_window(&d.rounds, &spent, stats);
    assert_int_equal(stats->latencies.count, 25000);
    assert_int_equal(stats->bytes, 25000 * CHUNK);
    expect_near(histogram_mean(&stats->latencies), 400000);
    expect_near((double)stats->latencies.maximum, 400000);
    assert_int_equal(spent.ns, 5 * SECOND);
    assert_int_equal(spent.work_ns, 5 * SECOND / 2);
    assert_int_equal(spent.device.read_bytes, 25000 * CHUNK);
    expect_near(device_busy_percent(&spent.device, spent.ns), 50);
    assert_int_equal(d.rounds.list[0].ops, 8000);
    assert_int_equal(d.rounds.list[6].end_ns, 7 * SECOND);
    assert_int_equal(d.rounds.list[6].elapsed_ns, SECOND);
    close_device(&d);
    free(stats);
}

/* The speed changes by 3 % per round, or goes up and down by 30 %: the rounds end, but nothing is
 * steady. */
static void some_never_are(void **state)
{
    (void)state;
    struct device_of d;
    unsigned falling[12];
    unsigned swinging[12];
    for (unsigned i = 0; i < 12; i++) {
        falling[i] = (unsigned)(100000 * pow(0.97, i));
        swinging[i] = i % 2 > 0 ? 13000 : 10000;
    }
    open_device(&d, ROUND_BANDWIDTH, 12);
    assert_int_equal(rounds_at(&d, falling, 12), 12);
    assert_false(d.rounds.is_steady);
    assert_true(d.rounds.fit.slope_percent < -12);
    close_device(&d);
    open_device(&d, ROUND_LATENCY, 12);
    assert_int_equal(rounds_at(&d, swinging, 12), 12);
    assert_false(d.rounds.is_steady);
    close_device(&d);
}

/* However many unsteady rounds there were, the test is steady as soon as its last five rounds
 * are. */
static void many_rounds_before(void **state)
{
    (void)state;
    struct device_of d;
    unsigned speeds[40];
    for (unsigned i = 0; i < 40; i++)
        speeds[i] = i < 31 && i % 2 > 0 ? 2000 : 1000;
    open_device(&d, ROUND_IOPS, 100);
    assert_int_equal(rounds_at(&d, speeds, 40), 35); /* number 30 was the last fast one */
    assert_true(d.rounds.is_steady);
    expect_near(d.rounds.fit.mean, 1000);
    close_device(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_speed_is_steady_in_round_five),
        cmocka_unit_test(steps_are_left_behind),
        cmocka_unit_test(some_never_are),
        cmocka_unit_test(many_rounds_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
