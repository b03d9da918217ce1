// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonload/load/backing.h"
#include "sys/host.h"
#include "util/units.h"

/* Others read as many bytes from the device as the requests did. Whether these came from the
 * device, too, is seen by how long they took. */
static void what_took_microseconds_came_from_memory(void **state)
{
    static const struct {
        bool may_be_cached;
        uint64_t median_ns;
        const char *limited_by;
    } cases[] = {{true, 3900, "page cache"}, {true, 80000, "device"}, {false, 3900, "device"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct backing b = {
            .is_watched = true,
            .is_judged = true,
            .may_be_cached = {[LOAD_READ] = cases[i].may_be_cached},
        };
        const struct reading spent = {.ns = BILLION,
                                      .device = {.known = true, .read_bytes = 512000},
                                      .moved.by = {SOURCE_DEVICE, SOURCE_DEVICE}};
        static struct tally writes;
        static struct tally reads;
        const struct tally *const tallies[] = {[LOAD_WRITE] = &writes, [LOAD_READ] = &reads};
        struct backing_use use;
        reads.bytes = 512000;
        histogram_clear(&reads.response);
        histogram_record(&reads.response, cases[i].median_ns);
        backing_use(&b, &spent, tallies, &use);
        assert_true(use.is_judged[LOAD_READ] && !use.is_judged[LOAD_WRITE]);
        assert_string_equal(limit_names[use.kinds[LOAD_READ].by], cases[i].limited_by);
    }
}

/* A control group's limits, and the host's need, hold a load back while the device is idle. */
static void what_holds_a_load_back(void **state)
{
    static struct tally writes = {.bytes = 512000};
    static struct tally reads;
    const struct tally *const tallies[] = {[LOAD_WRITE] = &writes, [LOAD_READ] = &reads};
    struct backing b = {.is_watched = true, .is_judged = true};
    struct reading spent = {
        .ns = BILLION,
        .cpus = 1,
        .changes = 100,
        .device = {.known = true, .written_bytes = 512000, .write_ops = 100},
        .moved.by = {SOURCE_DEVICE, SOURCE_DEVICE},
    };
    struct backing_use use;
    (void)state;
    backing_use(&b, &spent, tallies, &use);
    assert_int_equal(use.kinds[LOAD_WRITE].by, LIMITED_DEVICE);
    b.limit.per_second[IO_LIMIT_WRITE_OPS] = 100;
    backing_use(&b, &spent, tallies, &use);
    assert_int_equal(use.kinds[LOAD_WRITE].reason, REASON_DEVICE_HELD);
    b.limit.per_second[IO_LIMIT_WRITE_OPS] = 0;
    spent.quota_count = 1;
    spent.quotas[0] = (struct quota_counts){
        .cpus = .1, .period_ns = BILLION / 10, .periods = 10, .throttled = 10};
    spent.own_ns = BILLION / 10;
    backing_use(&b, &spent, tallies, &use);
    assert_int_equal(use.kinds[LOAD_WRITE].reason, REASON_QUOTA);
    spent.quota_count = 0;
    spent.stolen_ns = (uint64_t)host_cpus() * BILLION / 3;
    backing_use(&b, &spent, tallies, &use);
    assert_int_equal(use.kinds[LOAD_WRITE].reason, REASON_HOST_TOOK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_took_microseconds_came_from_memory),
                                       cmocka_unit_test(what_holds_a_load_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
