// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/limit.h"
#include "util/units.h"

#define SECOND UINT64_C(1000000000)

/* Ten seconds in which one worker read 1000 MiB, all of them from the device. */
static const struct evidence reading = {
    .spent = {.ns = 10 * SECOND,
              .own_ns = 2 * SECOND,
              .busiest = {.computed_ns = 2 * SECOND},
              .device = {.known = true,
                         .read_bytes = 1000 * MIB,
                         .read_ops = 1000,
                         .busy_ns = {75 * SECOND / 10}},
              .moved = {.by = {SOURCE_DEVICE, SOURCE_DEVICE}}},
    .cpus = 2,
    .workers = 1,
    .read_bytes = 1000 * MIB,
    .filesystem = "ext4",
    .is_stored = true,
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
    assert_about(judgement.others.waited_percent, 0);
    assert_about(judgement.others.own_percent, 10);
    assert_about(judgement.moved_percent, 100);
    e.spent.device.busy_ns[0] = 50 * SECOND / 10;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

static void an_idle_device_is_not_blamed(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.busy_ns[0] = 49 * SECOND / 10;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.spent.device.busy_ns[0] = 5 * SECOND / 10;
    e.spent.busiest.waited_ns = 7 * SECOND;
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    assert_about(judgement.others.waited_percent, 70);
}

static void a_worker_that_waits_for_a_cpu_does_not_measure_the_device(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.busy_ns[0] = 100 * SECOND / 10; /* with the traffic of other programs */
    e.spent.busiest.waited_ns = 5 * SECOND;
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    e.spent.busiest.waited_ns = 4 * SECOND;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.device.busy_ns[0] =
        55 * SECOND / 10; /* less than the share of time in which the worker wanted a CPU */
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    e.spent.busiest =
        (struct cpu_demand){.computed_ns = 76 * SECOND / 10, .waited_ns = 24 * SECOND / 10};
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.spent.busiest = (struct cpu_demand){.computed_ns = 4 * SECOND, .waited_ns = 9 * SECOND};
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    assert_about(judgement.others.waited_percent, 60); /* the elapsed time is the limit */
}

static void waiting_that_is_not_known_is_no_waiting(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.busiest.waited_unknown = true;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_true(judgement.others.waited_percent < 0);
    e.spent.device.busy_ns[0] = 5 * SECOND / 10;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.spent.busiest.computed_ns = 9 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

/* On a few CPUs, many workers wait for each other. */
static void workers_that_use_all_cpus_have_them(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.workers = 8;
    e.spent.busiest = (struct cpu_demand){.computed_ns = 2 * SECOND, .waited_ns = 7 * SECOND};
    e.spent.own_ns = 15 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_CPUS_FULL);
    assert_about(judgement.others.own_percent, 75);
    e.spent.own_ns =
        8 * SECOND; /* the workers used less than half, so other programs used the rest */
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    e.workers = 2; /* with so few workers, none waits for another */
    e.spent.own_ns = 15 * SECOND;
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    e.spent.busiest = (struct cpu_demand){.computed_ns = 95 * SECOND / 10};
    e.spent.own_ns = 19 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_CPUS_FULL);
    e.cpus = 8;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

static void what_does_not_come_from_the_device_is_the_page_cache(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.read_bytes = 899 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_about(judgement.moved_percent, 89.9);
    e.spent.device.read_bytes = 0;
    e.spent.busiest.computed_ns =
        10 * SECOND; /* copying memory takes CPU time, which explains nothing here */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.spent.busiest = (struct cpu_demand){.waited_ns = 10 * SECOND};
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.spent.busiest = (struct cpu_demand){.computed_ns = 10 * SECOND};
    e.spent.device.read_bytes = 900 * MIB;
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
    e.spent.busiest.computed_ns = 99 * SECOND / 10;
    e.spent.device.read_bytes = 0;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.spent.device.known = false;
    e.filesystem = "tmpfs";
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.spent.busiest.computed_ns = 6 * SECOND;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
}

static void others_traffic_proves_nothing_more(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.read_bytes = 5000 * MIB;
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
    e.spent.device.written_bytes = 500 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
    assert_about(judgement.moved_percent, 50);
    e.spent.device.written_bytes = 1001 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

static void a_worker_that_computes_all_the_time_is_the_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.busiest.computed_ns = 9 * SECOND;
    e.spent.device.busy_ns[0] = 100 * SECOND / 10;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.spent.busiest.computed_ns = 6 * SECOND;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.device.busy_ns[0] = 59 * SECOND / 10;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

static void a_link_that_is_full(void **state)
{
    (void)state;
    struct evidence e = reading;
    uint64_t rate = e.spent.device.read_bytes / (e.spent.ns / SECOND);
    e.spent.device.busy_ns[0] = e.spent.ns / 10 * 9;
    e.link_per_second = rate * 100 / 95;
    assert_judged(&e, LIMITED_LINK, REASON_LINK_FULL);
    e.link_per_second = rate * 100 / 80;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

/* The kernel holds transfers back before they reach the device, so the device is idle. */
static void a_device_that_is_held_to_a_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.busy_ns[0] = 7 * SECOND / 10;
    e.limit.per_second[IO_LIMIT_READ_BYTES] = 100 * MIB;
    e.limit.per_second[IO_LIMIT_WRITTEN_BYTES] = 1;
    assert_judged(&e, LIMITED_LIMIT, REASON_DEVICE_HELD);
    assert_int_equal(judgement.held_by, IO_LIMIT_READ_BYTES);
    assert_int_equal(judgement.held_to, 100 * MIB);
    assert_about(judgement.held_percent, 100);
    e.spent.device.written_bytes = 10; /* other programs wrote this: the test wrote nothing */
    assert_judged(&e, LIMITED_LIMIT, REASON_DEVICE_HELD);
    assert_int_equal(judgement.held_by, IO_LIMIT_READ_BYTES);
    e.spent.device.read_bytes =
        1700 * MIB; /* other programs read this, but the test's reads were limited as well */
    assert_judged(&e, LIMITED_LIMIT, REASON_DEVICE_HELD);
    e.spent.device.read_bytes = 5000 * MIB;
    assert_judged(&e, LIMITED_LIMIT, REASON_DEVICE_HELD);
    e.limit.per_second[IO_LIMIT_READ_BYTES] = 1000 * MIB;
    e.spent.device.read_bytes = 1000 * MIB;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    assert_about(judgement.held_percent, 10);
    e.limit.per_second[IO_LIMIT_READ_OPS] = 125;
    assert_judged(&e, LIMITED_LIMIT, REASON_DEVICE_HELD);
    assert_int_equal(judgement.held_by, IO_LIMIT_READ_OPS);
    assert_about(judgement.held_percent, 80);
    e.limit = (struct io_limit){.per_second = {[IO_LIMIT_READ_BYTES] = 10 * MIB}};
    assert_judged(&e, LIMITED_UNKNOWN,
                  REASON_NOTHING_EXPLAINS); /* the limit does not apply to these */
    /* 300 synced writes per second, of which the journal makes four each, and no limit holds it */
    e.read_bytes = e.spent.device.read_bytes = 0;
    e.written_bytes = 12 * MIB;
    e.spent.device.written_bytes = 48 * MIB;
    e.spent.device.write_ops = 12000;
    e.spent.changes = 3000;
    e.limit = (struct io_limit){.per_second = {[IO_LIMIT_WRITE_OPS] = 300}};
    assert_judged(&e, LIMITED_LIMIT, REASON_DEVICE_HELD);
    assert_about(judgement.held_percent, 100);
    e.spent.changes = 1000;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
}

static void without_a_device_that_is_said(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.known = false;
    e.filesystem = "tmpfs";
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.spent.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.spent.busiest = (struct cpu_demand){.computed_ns = SECOND, .waited_ns = 9 * SECOND};
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.filesystem = "nfs4";
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    e.spent.busiest = (struct cpu_demand){.computed_ns = 10 * SECOND}; /* perhaps for copying */
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
    e.spent.device = (struct device_counters){.known = true, .busy_ns = {SECOND / 2}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.spent.busiest.computed_ns = 95 * SECOND / 10;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.spent.busiest.computed_ns = 2 * SECOND;
    e.spent.device.busy_ns[0] = 80 * SECOND / 10;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.device.known = false;
    e.filesystem = "tmpfs";
    e.spent.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_IN_MEMORY);
    e.spent.device.known = false; /* data on a server: half of the time is not enough evidence */
    e.filesystem = "nfs4";
    e.spent.busiest.computed_ns = 6 * SECOND;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.spent.busiest.computed_ns = 9 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
}

/* Where no device can be watched, others may know where the bytes came from. */
static void another_source_speaks(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.known = false;
    e.filesystem = "nfs4";
    e.spent.moved = (struct moved_bytes){{SOURCE_NFS, SOURCE_NFS}, {1000 * MIB, 0}};
    assert_judged(&e, LIMITED_SERVER, REASON_SERVER_MOVED);
    assert_about(judgement.moved_percent, 100);
    e.spent.busiest.computed_ns = 6 * SECOND; /* then it was not the server alone */
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.spent.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_CPU, REASON_COMPUTED);
    e.spent.moved.bytes[WAY_READ] = 0;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.read_bytes = 0;
    e.written_bytes = 1000 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
    e.spent.busiest.computed_ns = SECOND;
    e.spent.moved.bytes[WAY_WRITTEN] = 1000 * MIB;
    assert_judged(&e, LIMITED_SERVER, REASON_SERVER_MOVED);
    assert_int_equal(judgement.way, WAY_WRITTEN);

    e = reading;
    e.spent.device.known = false;
    e.filesystem = "overlay";
    e.spent.moved = (struct moved_bytes){{SOURCE_PROCESS, SOURCE_NONE}, {1001 * MIB, 0}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_STORAGE_MOVED);
    e.spent.moved.bytes[WAY_READ] = 10 * MIB;
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
    e.spent.moved = (struct moved_bytes){{SOURCE_PROCESS, SOURCE_BELOW}, {1000 * MIB, 0}};
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.moved.bytes[WAY_READ] = 0; /* others read from the device */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_int_equal(judgement.source, SOURCE_PROCESS);
    e.read_bytes = 0;
    e.written_bytes = 1000 * MIB;
    e.spent.device.written_bytes = 100 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
    assert_int_equal(judgement.source, SOURCE_BELOW);
}

/* What neither the page cache nor the source had came from elsewhere, as from a layer on
 * virtiofs. */
static void what_came_from_nowhere_proves_nothing(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.known = false;
    e.is_cold = true;
    e.spent.moved = (struct moved_bytes){{SOURCE_PROCESS, SOURCE_NONE}, {0, 0}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.spent.moved.bytes[WAY_READ] = MIB; /* the same MiB again and again */
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.spent.moved.bytes[WAY_READ] = 0;
    e.is_cold = false;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.is_cold = true; /* but ZFS has a cache that the page cache does not show */
    e.spent.moved.by[WAY_READ] = SOURCE_ZFS;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e = reading;
    e.is_cold = true; /* a device without counters */
    e.spent.device.read_bytes = 0;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.read_bytes = 0; /* what was written was not there before */
    e.written_bytes = 1000 * MIB;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_NOT_WRITTEN);
}

/* Fewer bytes on the device are no sign of the page cache where they may be compressed; none
 * are. */
static void compressed_bytes_are_not_counted(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.compresses = true;
    e.spent.device.read_bytes = 40 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_int_equal(judgement.source, SOURCE_NONE);
    e.spent.device.busy_ns[0] = 10 * SECOND / 10;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.resident_percent = 95;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_int_equal(judgement.source, SOURCE_RESIDENT);
    e.resident_percent = 0;
    e.spent.device.read_bytes = 0;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e.spent.device.read_bytes = 1000 * MIB;
    e.spent.device.busy_ns[0] = 75 * SECOND / 10;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    assert_int_equal(judgement.source, SOURCE_DEVICE);
}

/* Below FUSE nothing can be seen but what the page cache had. */
static void the_page_cache_speaks_last(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.known = false;
    e.filesystem = "fuse.bindfs";
    e.spent.moved = (struct moved_bytes){{SOURCE_NONE, SOURCE_NONE}, {0, 0}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.resident_percent = 10;
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NO_DEVICE);
    e.resident_percent = 11;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    assert_int_equal(judgement.source, SOURCE_RESIDENT);
    e.resident_percent = 100;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
}

/* A quota of half a CPU, of which this share was used, as far as its periods show. */
static void use_quota(struct evidence *e, uint64_t percent)
{
    e->spent.quota_count = 1;
    e->spent.quotas[0] = (struct quota_counts){.cpus = 0.5, .periods = 100, .throttled = percent};
}

/* Whether or not the kernel counts it as waiting, a group that is held back wants a CPU. */
static void a_quota_that_is_used_is_the_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.device.busy_ns[0] = 30 * SECOND / 10;
    use_quota(&e, 98);
    assert_judged(&e, LIMITED_LIMIT, REASON_QUOTA);
    e.spent.busiest.waited_ns = 7 * SECOND;
    assert_judged(&e, LIMITED_LIMIT, REASON_QUOTA);
    use_quota(&e, 20);
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_COMPUTED);
    e = reading;
    use_quota(&e, 60); /* the device was busier than the quota was used */
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.device.read_bytes = 0;
    use_quota(&e, 98);
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
    const struct evidence e = {.is_stored = true,
                               .spent.device.known = true,
                               .limit.per_second = {[IO_LIMIT_READ_BYTES] = 1}};
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
}

static void every_limit_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(limit_names[LIMITED_DEVICE], "device");
    assert_string_equal(limit_names[LIMITED_PAGE_CACHE], "page cache");
    assert_string_equal(limit_names[LIMITED_SERVER], "server");
    assert_string_equal(limit_names[LIMITED_CPU], "cpu");
    assert_string_equal(limit_names[LIMITED_OTHERS], "others");
    assert_string_equal(limit_names[LIMITED_LINK], "link");
    assert_string_equal(limit_names[LIMITED_LIMIT], "limit");
    assert_string_equal(limit_names[LIMITED_UNKNOWN], "unknown");
}

/* What a machine of two CPUs did in ten seconds, in which this process used a tenth of them. */
static struct reading after(void)
{
    return (struct reading){
        .ns = 10 * BILLION, .cpus = 2, .used_ns = 2 * BILLION, .own_ns = 2 * BILLION};
}

static void assert_words(const struct others *e, const char *expected)
{
    const struct label_text words = others_words(e);
    assert_string_equal(words.text, expected);
}

static void others_use_the_cpus(void **state)
{
    struct reading r = after();
    (void)state;
    struct others e = others_of(&r, 2, 0);
    assert_false(others_are_busy(&e));
    assert_words(&e, "not busy: others used 0 % of 2 CPUs");
    r.used_ns += 4999 * MILLION;
    e = others_of(&r, 2, 0);
    assert_false(others_are_busy(&e));
    assert_words(&e, "not busy: others used 24 % of 2 CPUs");
    r.used_ns += MILLION;
    e = others_of(&r, 2, 0);
    assert_true(others_are_busy(&e));
    assert_words(&e, "busy: others used 25 % of 2 CPUs (busy from 25 %)");
    r.used_ns -= 3000 * MILLION;
    r.stolen_ns = 3 * BILLION;
    e = others_of(&r, 2, 0);
    assert_words(&e, "busy: others used 10 % and the host took 15 % of 2 CPUs (busy from 25 %)");
}

/* Threads that wait while their own process uses all CPUs wait for each other. */
static void threads_wait(void **state)
{
    struct reading r = after();
    (void)state;
    r.busiest.waited_ns = 25 * BILLION / 10;
    struct others e = others_of(&r, 2, 0);
    assert_true(others_are_busy(&e));
    assert_words(&e, "busy: others used 0 % of 2 CPUs; a thread waited for a CPU 25 % of the time "
                     "(busy from 25 %)");
    r.own_ns = r.used_ns = 18 * BILLION;
    e = others_of(&r, 2, 0);
    assert_false(others_are_busy(&e));
    r.busiest = (struct cpu_demand){.waited_unknown = true};
    e = others_of(&r, 2, 0);
    assert_words(&e, "not busy: others used 0 % of 2 CPUs");
}

static void a_quota_holds_back(void **state)
{
    struct reading r = after();
    (void)state;
    r.quota_count = 2;
    r.quotas[0] = (struct quota_counts){
        .throttled_ns = BILLION / 10, .throttled = 10, .period_ns = BILLION / 10};
    struct others e = others_of(&r, 2, 0);
    assert_true(others_are_busy(&e));
    assert_words(&e, "busy: others used 0 % of 2 CPUs; a quota held the program back 1 % of the "
                     "time (busy from 1 %)");
}

/* 64 CPUs at a time, and two groups, of which one is above the other. */
static void a_moment_counts_once(void **state)
{
    struct reading r = after();
    (void)state;
    r.quota_count = 2;
    r.quotas[0] = r.quotas[1] = (struct quota_counts){
        .throttled_ns = 64 * BILLION / 20, .throttled = 1, .period_ns = 95 * MILLION};
    struct others e = others_of(&r, 2, 0);
    assert_false(others_are_busy(&e));
    r.quotas[1].period_ns = 200 * MILLION;
    e = others_of(&r, 2, 0);
    assert_words(&e, "busy: others used 0 % of 2 CPUs; a quota held the program back 2 % of the "
                     "time (busy from 1 %)");
}

/* Journal and metadata are written for this process, and do not count as those of others. */
static void others_use_the_device(void **state)
{
    struct reading r = after();
    (void)state;
    r.changes = 100;
    r.knows_own = r.device.known = true;
    r.own_bytes[WAY_READ] = 1000 * MIB;
    r.own_bytes[WAY_WRITTEN] = 10 * MIB;
    r.device.read_bytes = 1000 * MIB;
    r.device.written_bytes = 26 * MIB;
    struct others e = others_of(&r, 2, 0);
    assert_false(others_are_busy(&e));
    r.device.read_bytes = 1200 * MIB;
    e = others_of(&r, 2, 0);
    assert_true(others_are_busy(&e));
    assert_words(&e, "busy: others used 0 % of 2 CPUs; others moved 16 % of the device's bytes "
                     "(busy from 10 %)");
    r.device.read_bytes = 1000 * MIB; /* on a partition of a disk that others use, too */
    r.device.part_bytes = 1026 * MIB;
    r.device.disk_bytes = 1326 * MIB;
    e = others_of(&r, 2, 0);
    assert_about(e.device_percent, 100 * 300. / 1326);
    r.knows_own = false;
    e = others_of(&r, 2, 0);
    assert_true(e.device_percent < 0);
}

/* What a btrfs writes several times, and reads to compute parities, does not either. */
static void copies_are_no_others(void **state)
{
    (void)state;
    struct reading r = after();
    r.knows_own = r.device.known = true;
    r.own_bytes[WAY_WRITTEN] = 10 * MIB;
    r.device.written_bytes = 40 * MIB;
    assert_true(others_of(&r, 2, 0).device_percent > 49);
    r.is_direct = true; /* so that they were written once */
    assert_true(others_of(&r, 2, 0).device_percent > 74);
    r.is_direct = false;
    r.device.copies = (struct device_copies){.data = 2};
    assert_about(others_of(&r, 2, 0).device_percent, 0);
    r.changes = 160; /* 10 MiB of metadata, each three times */
    r.device.written_bytes = 70 * MIB;
    assert_true(others_of(&r, 2, 0).device_percent > 24);
    r.device.copies.metadata = 2;
    assert_about(others_of(&r, 2, 0).device_percent, 0);
    r.device.read_bytes = 80 * MIB;
    assert_true(others_of(&r, 2, 0).device_percent > 49);
    r.device.copies.stripe = 4;
    assert_about(others_of(&r, 2, 0).device_percent, 0);
    r.device.read_bytes = 200 * MIB;
    assert_true(others_of(&r, 2, 0).device_percent > 40);
}

/* The device was busy with what others moved: its speed for the work alone is not known. */
static void others_on_the_device_are_the_limit(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.knows_own = true;
    e.spent.own_bytes[WAY_READ] = 1000 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.device.read_bytes = 1112 * MIB;
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_MOVED);
    e.spent.device.read_bytes = 1110 * MIB;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.spent.device.written_bytes = 400 * MIB;
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_MOVED);
    e.spent.device.busy_ns[0] = SECOND; /* but nobody waited for it */
    assert_judged(&e, LIMITED_UNKNOWN, REASON_NOTHING_EXPLAINS);
    e.is_paced = true; /* the work waited by itself */
    assert_judged(&e, LIMITED_OTHERS, REASON_OTHERS_MOVED);
    e.spent.device.written_bytes = 0; /* and the device took its time, busy or not */
    assert_judged(&e, LIMITED_DEVICE, REASON_STORAGE_MOVED);
    e.spent.device.busy_ns[0] = 75 * SECOND / 10;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.resident_percent = 90;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
}

/* A share is the same wherever it stands: in what limited a figure, and in what others did. */
static void a_share_has_one_rounding(void **state)
{
    (void)state;
    const struct {
        enum limit_reason reason;
        size_t percent; /* of struct others */
        const char *sentence[2];
        const char *among_others[2];
    } shares[] = {
        {REASON_OTHERS_MOVED,
         offsetof(struct others, device_percent),
         {"Others moved ", " of the device's bytes."},
         {"; others moved ", " of the device's bytes ("}},
        {REASON_HOST_TOOK,
         offsetof(struct others, stolen_percent),
         {"The host took ", " of the time of the CPUs."},
         {" the host took ", ""}},
        {REASON_OTHERS_COMPUTED,
         offsetof(struct others, waited_percent),
         {"Waiting for a CPU ", " of the time: others used it."},
         {"; a thread waited for a CPU ", " of the time ("}},
    };
    for (int tenths = 250; tenths <= 1000; tenths++) {
        struct judgement j = {.others = others_unknown};
        j.others.used_percent = 0;
        for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
            char limited[LIMIT_SENTENCE], expected[PRINTABLE_TEXT];
            j.reason = shares[i].reason;
            *(double *)((char *)&j.others + shares[i].percent) = tenths / 10.;
            limit_sentence(limited, &j, &j);
            const struct label_text words = others_words(&j.others);
            snprintf(expected, sizeof expected, "%s%d %%%s", shares[i].sentence[0], tenths / 10,
                     shares[i].sentence[1]);
            assert_string_equal(limited, expected);
            snprintf(expected, sizeof expected, "%s%d %%%s", shares[i].among_others[0], tenths / 10,
                     shares[i].among_others[1]);
            assert_non_null(strstr(words.text, expected));
        }
    }
}

static void the_host_of_a_virtual_machine_takes_its_cpus(void **state)
{
    (void)state;
    struct evidence e = reading;
    e.spent.cpus = 2;
    e.spent.stolen_ns = 5 * SECOND;
    assert_judged(&e, LIMITED_OTHERS, REASON_HOST_TOOK);
    e.spent.busiest.computed_ns = 10 * SECOND;
    assert_judged(&e, LIMITED_OTHERS, REASON_HOST_TOOK);
    e.spent.device.read_bytes = 0;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_READ_FROM_CACHE);
    e = reading;
    e.spent.cpus = 2;
    e.spent.stolen_ns = 4 * SECOND;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
}

static void a_request_that_is_too_short_waited_for_no_device(void **state)
{
    (void)state;
    struct evidence e = reading;
    char text[LIMIT_SENTENCE];
    e.instant_ns = 9999;
    assert_judged(&e, LIMITED_PAGE_CACHE, REASON_INSTANT);
    e.instant_ns = 10000;
    assert_judged(&e, LIMITED_DEVICE, REASON_DEVICE_BUSY);
    e.doubt = "The names may lead to several filesystems";
    assert_judged(&e, LIMITED_UNKNOWN, REASON_DOUBT);
    limit_sentence(text, &judgement, &judgement);
    assert_string_equal(text, "The names may lead to several filesystems.");
}

static void ranks_beside_are_no_others(void **state)
{
    struct reading r = after();
    (void)state;
    r.used_ns = 9 * BILLION;
    struct others e = others_of(&r, 2, 0);
    assert_true(others_are_busy(&e));
    others_among(&e, 4);
    assert_false(others_are_busy(&e));
    others_among(&e, 4);
    assert_true(e.own_percent <= 100); /* they may not use as much as this one */
    struct others busiest = others_unknown;
    assert_words(&busiest,
                 "not known: others used a share of the CPUs that /proc/stat does not tell");
    others_keep_busier(&busiest, &e);
    assert_words(&busiest, "not busy: others used 0 % of 2 CPUs");
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
        cmocka_unit_test(a_link_that_is_full),
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
        cmocka_unit_test(others_use_the_cpus),
        cmocka_unit_test(threads_wait),
        cmocka_unit_test(a_quota_holds_back),
        cmocka_unit_test(a_moment_counts_once),
        cmocka_unit_test(others_use_the_device),
        cmocka_unit_test(copies_are_no_others),
        cmocka_unit_test(others_on_the_device_are_the_limit),
        cmocka_unit_test(a_share_has_one_rounding),
        cmocka_unit_test(the_host_of_a_virtual_machine_takes_its_cpus),
        cmocka_unit_test(a_request_that_is_too_short_waited_for_no_device),
        cmocka_unit_test(ranks_beside_are_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
