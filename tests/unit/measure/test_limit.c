// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/limit.h"
#include "util/units.h"

#define SECOND UINT64_C(1000000000)

/* Ten seconds in which one worker read 1000 MiB, all of them from the device. */
static const struct evidence reading = {
    .elapsed_ns = 10 * SECOND,
    .cpu_ns = 2 * SECOND,
    .busiest = {.computed_ns = 2 * SECOND},
    .cpus = 2,
    .workers = 1,
    .read_bytes = 1000 * MIB,
    .filesystem = "ext4",
    .is_stored = true,
    .device = {.known = true, .read_bytes = 1000 * MIB, .read_ops = 1000, .busy_percent = 75},
    .moved = {.by = {SOURCE_DEVICE, SOURCE_DEVICE}},
};

static struct judgement judgement;

static void assert_judged(const struct evidence *e, enum limited_by by, enum limit_reason reason)
{
    limit_judge(&judgement, e);
    assert_int_equal(judgement.by, by);
    assert_int_equal(judgement.reason, reason);
}

static void assert_about(double value, double expected)
{
    assert_true(value > expected - 0.01 && value < expected + 0.01);
}

static void what_keeps_the_device_busy_is_its_speed(void **state)
{
    (void)state;
    struct evidence e = reading;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_about(judgement.device_percent, 75);
    assert_about(judgement.computed_percent, 20);
    assert_about(judgement.waited_percent, 0);
    assert_about(judgement.cpus_percent, 10);
    assert_about(judgement.moved_percent, 100);
    e.device.busy_percent = 50;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

static void an_idle_device_is_not_blamed(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.busy_percent = 49;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.device.busy_percent = 5;
    e.busiest.waited_ns = 7 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    assert_about(judgement.waited_percent, 70);
}

static void a_worker_that_waits_for_a_cpu_does_not_measure_the_device(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.busy_percent = 100; /* with the traffic of other programs */
    e.busiest.waited_ns = 5 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    e.busiest.waited_ns = 4 * SECOND;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.device.busy_percent = 55; /* less than the share of time in which the worker wanted a CPU */
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    e.busiest = (struct cpu_demand){.computed_ns = 76 * SECOND / 10, .waited_ns = 24 * SECOND / 10};
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.busiest = (struct cpu_demand){.computed_ns = 4 * SECOND, .waited_ns = 9 * SECOND};
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    assert_about(judgement.waited_percent, 60); /* the elapsed time is the limit */
}

static void waiting_that_is_not_known_is_no_waiting(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.busiest.waited_unknown = true;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_true(judgement.waited_percent < 0);
    e.device.busy_percent = 5;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.busiest.computed_ns = 9 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

/* On a few CPUs, many workers wait for each other. */
static void workers_that_use_all_cpus_have_them(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.workers = 8;
    e.busiest = (struct cpu_demand){.computed_ns = 2 * SECOND, .waited_ns = 7 * SECOND};
    e.cpu_ns = 15 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_CPUS_FULL);
    assert_about(judgement.cpus_percent, 75);
    e.cpu_ns = 8 * SECOND; /* the workers used less than half, so other programs used the rest */
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    e.workers = 2; /* with so few workers, none waits for another */
    e.cpu_ns = 15 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    e.busiest = (struct cpu_demand){.computed_ns = 95 * SECOND / 10};
    e.cpu_ns = 19 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_CPUS_FULL);
    e.cpus = 8;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

static void what_does_not_come_from_the_device_is_the_page_cache(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.read_bytes = 899 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_about(judgement.moved_percent, 89.9);
    e.device.read_bytes = 0;
    e.busiest.computed_ns =
        10 * SECOND; /* copying memory takes CPU time, which explains nothing here */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.busiest = (struct cpu_demand){.waited_ns = 10 * SECOND};
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.busiest = (struct cpu_demand){.computed_ns = 10 * SECOND};
    e.device.read_bytes = 900 * MIB;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

/* Whatever the device moved later: the caller's data went through the page cache. */
static void what_was_not_direct_is_the_page_cache(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.direct = (struct direct_use){.seen = DIRECT_NO};
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.direct = (struct direct_use){true, DIRECT_NO, "btrfs buffered the writes"};
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_DIRECT);
    assert_string_equal(judgement.direct.reason, "btrfs buffered the writes");
    e.direct.seen = DIRECT_NOT_KNOWN;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

/* A loop over every character is slower than memory, wherever the characters are. */
static void computing_on_every_byte_is_the_cpu(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.computes = true;
    e.busiest.computed_ns = 99 * SECOND / 10;
    e.device.read_bytes = 0;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.device.known = false;
    e.filesystem = "tmpfs";
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.busiest.computed_ns = 6 * SECOND;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
}

static void others_traffic_proves_nothing_more(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.read_bytes = 5000 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_about(judgement.moved_percent, 100);
    e.resident_percent = 99.5; /* data that was in memory did not come from the device */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_about(judgement.moved_percent, 0.5);
    e.resident_percent = 10;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

static void writes_that_stay_in_memory_are_told(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.read_bytes = 0;
    e.written_bytes = 1000 * MIB;
    e.device.written_bytes = 500 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
    assert_about(judgement.moved_percent, 50);
    e.device.written_bytes = 1001 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

static void a_worker_that_computes_all_the_time_is_the_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.busiest.computed_ns = 9 * SECOND;
    e.device.busy_percent = 100;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.busiest.computed_ns = 6 * SECOND;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.device.busy_percent = 59;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

/* The kernel holds transfers back before they reach the device, so the device is idle. */
static void a_device_that_is_held_to_a_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.busy_percent = 7;
    e.limit.per_second[IO_LIMIT_READ_BYTES] = 100 * MIB;
    e.limit.per_second[IO_LIMIT_WRITTEN_BYTES] = 1;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_HELD);
    assert_int_equal(judgement.held_by, IO_LIMIT_READ_BYTES);
    assert_int_equal(judgement.held_to, 100 * MIB);
    assert_about(judgement.held_percent, 100);
    e.device.written_bytes = 10; /* other programs wrote this: the test wrote nothing */
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_HELD);
    assert_int_equal(judgement.held_by, IO_LIMIT_READ_BYTES);
    e.device.read_bytes =
        1700 * MIB; /* other programs read this, but the test's reads were limited as well */
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_HELD);
    e.device.read_bytes = 5000 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_HELD);
    e.limit.per_second[IO_LIMIT_READ_BYTES] = 1000 * MIB;
    e.device.read_bytes = 1000 * MIB;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    assert_about(judgement.held_percent, 10);
    e.limit.per_second[IO_LIMIT_READ_OPS] = 125;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_HELD);
    assert_int_equal(judgement.held_by, IO_LIMIT_READ_OPS);
    assert_about(judgement.held_percent, 80);
    e.limit = (struct io_limit){.per_second = {[IO_LIMIT_READ_BYTES] = 10 * MIB}};
    assert_judged(&e, LIMITED_UNKNOWN,
                  REASON_NOTHING_EXPLAINS); /* the limit does not apply to these */
}

static void without_a_device_that_is_said(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.known = false;
    e.filesystem = "tmpfs";
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.busiest = (struct cpu_demand){.computed_ns = SECOND, .waited_ns = 9 * SECOND};
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.filesystem = "nfs4";
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    e.busiest = (struct cpu_demand){.computed_ns = 10 * SECOND}; /* perhaps for copying */
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    assert_false(judgement.device_known);
    e.filesystem = NULL;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
}

static void tests_of_many_files(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.read_bytes = 0;
    e.device = (struct device_use){.known = true, .busy_percent = 5};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.busiest.computed_ns = 95 * SECOND / 10;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.busiest.computed_ns = 2 * SECOND;
    e.device.busy_percent = 80;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.device.known = false;
    e.filesystem = "tmpfs";
    e.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.device.known = false; /* data on a server: half of the time is not enough evidence */
    e.filesystem = "nfs4";
    e.busiest.computed_ns = 6 * SECOND;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.busiest.computed_ns = 9 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

/* Where no device can be watched, others may know where the bytes came from. */
static void another_source_speaks(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.known = false;
    e.filesystem = "nfs4";
    e.moved = (struct moved_bytes){{SOURCE_NFS, SOURCE_NFS}, {1000 * MIB, 0}};
    assert_judged(&e, LIMITED_SERVER, REASON_SERVER_MOVED);
    assert_about(judgement.moved_percent, 100);
    e.busiest.computed_ns = 6 * SECOND; /* then it was not the server alone */
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.moved.bytes[WAY_READ] = 0;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.read_bytes = 0;
    e.written_bytes = 1000 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
    e.busiest.computed_ns = SECOND;
    e.moved.bytes[WAY_WRITTEN] = 1000 * MIB;
    assert_judged(&e, LIMITED_SERVER, REASON_SERVER_MOVED);
    assert_int_equal(judgement.way, WAY_WRITTEN);

    e = reading;
    e.device.known = false;
    e.filesystem = "overlay";
    e.moved = (struct moved_bytes){{SOURCE_PROCESS, SOURCE_NONE}, {1001 * MIB, 0}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_STORAGE_MOVED);
    e.moved.bytes[WAY_READ] = 10 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.read_bytes = 0; /* nobody knows about writes, nor about names */
    e.written_bytes = MIB;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.written_bytes = 0;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
}

/* The process knows best what it has read; the device below an overlay knows how busy it was. */
static void an_overlay_has_both(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.moved = (struct moved_bytes){{SOURCE_PROCESS, SOURCE_BELOW}, {1000 * MIB, 0}};
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.moved.bytes[WAY_READ] = 0; /* others read from the device */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_int_equal(judgement.source, SOURCE_PROCESS);
    e.read_bytes = 0;
    e.written_bytes = 1000 * MIB;
    e.device.written_bytes = 100 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
    assert_int_equal(judgement.source, SOURCE_BELOW);
}

/* What neither the page cache nor the source had came from elsewhere, as from a layer on virtiofs.
 */
static void what_came_from_nowhere_proves_nothing(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.known = false;
    e.is_cold = true;
    e.moved = (struct moved_bytes){{SOURCE_PROCESS, SOURCE_NONE}, {0, 0}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.moved.bytes[WAY_READ] = MIB; /* the same MiB again and again */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.moved.bytes[WAY_READ] = 0;
    e.is_cold = false;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.is_cold = true; /* but ZFS has a cache that the page cache does not show */
    e.moved.by[WAY_READ] = SOURCE_ZFS;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e = reading;
    e.is_cold = true; /* a device without counters */
    e.device.read_bytes = 0;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.read_bytes = 0; /* what was written was not there before */
    e.written_bytes = 1000 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
}

/* Fewer bytes on the device are no sign of the page cache where they may be compressed; none are.
 */
static void compressed_bytes_are_not_counted(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.compresses = true;
    e.device.read_bytes = 40 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_int_equal(judgement.source, SOURCE_NONE);
    e.device.busy_percent = 10;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.resident_percent = 95;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_int_equal(judgement.source, SOURCE_RESIDENT);
    e.resident_percent = 0;
    e.device.read_bytes = 0;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.device.read_bytes = 1000 * MIB;
    e.device.busy_percent = 75;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_int_equal(judgement.source, SOURCE_DEVICE);
}

/* Below FUSE nothing can be seen but what the page cache had. */
static void the_page_cache_speaks_last(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.known = false;
    e.filesystem = "fuse.bindfs";
    e.moved = (struct moved_bytes){{SOURCE_NONE, SOURCE_NONE}, {0, 0}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.resident_percent = 10;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.resident_percent = 11;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_int_equal(judgement.source, SOURCE_RESIDENT);
    e.resident_percent = 100;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
}

/* Whether or not the kernel counts it as waiting, a group that is held back wants a CPU. */
static void a_quota_that_is_used_is_the_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.device.busy_percent = 30;
    e.quota_cpus = 0.2;
    e.quota_percent = 98;
    assert_judged(&e, LIMITED_CPU, REASON_QUOTA);
    e.busiest.waited_ns = 7 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_QUOTA);
    e.quota_percent = 20;
    assert_judged(&e, LIMITED_CPU, REASON_OTHERS_COMPUTED);
    e = reading;
    e.quota_percent = 60; /* the device was busier than the quota was used */
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.device.read_bytes = 0;
    e.quota_percent = 98;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
}

static void nothing_moved_is_nothing_measured(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.is_stored = false;
    assert_judged(&e, LIMITED_CPU, REASON_NOTHING_MOVED);
}

static void no_time_is_no_trouble(void **state)
{
    (void)state;
    const struct evidence e = {
        .is_stored = true, .device.known = true, .limit.per_second = {[IO_LIMIT_READ_BYTES] = 1}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
}

static void every_limit_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(limit_name(LIMITED_DEVICE), "device");
    assert_string_equal(limit_name(LIMITED_PAGE_CACHE), "page cache");
    assert_string_equal(limit_name(LIMITED_SERVER), "server");
    assert_string_equal(limit_name(LIMITED_CPU), "cpu");
    assert_string_equal(limit_name(LIMITED_UNKNOWN), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_keeps_the_device_busy_is_its_speed),
        cmocka_unit_test(an_idle_device_is_not_blamed),
        cmocka_unit_test(a_worker_that_waits_for_a_cpu_does_not_measure_the_device),
        cmocka_unit_test(waiting_that_is_not_known_is_no_waiting),
        cmocka_unit_test(workers_that_use_all_cpus_have_them),
        cmocka_unit_test(what_does_not_come_from_the_device_is_the_page_cache),
        cmocka_unit_test(what_was_not_direct_is_the_page_cache),
        cmocka_unit_test(computing_on_every_byte_is_the_cpu),
        cmocka_unit_test(others_traffic_proves_nothing_more),
        cmocka_unit_test(writes_that_stay_in_memory_are_told),
        cmocka_unit_test(a_worker_that_computes_all_the_time_is_the_limit),
        cmocka_unit_test(a_device_that_is_held_to_a_limit),
        cmocka_unit_test(without_a_device_that_is_said),
        cmocka_unit_test(tests_of_many_files),
        cmocka_unit_test(another_source_speaks),
        cmocka_unit_test(an_overlay_has_both),
        cmocka_unit_test(what_came_from_nowhere_proves_nothing),
        cmocka_unit_test(compressed_bytes_are_not_counted),
        cmocka_unit_test(the_page_cache_speaks_last),
        cmocka_unit_test(a_quota_that_is_used_is_the_limit),
        cmocka_unit_test(nothing_moved_is_nothing_measured),
        cmocka_unit_test(no_time_is_no_trouble),
        cmocka_unit_test(every_limit_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
