// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/reading.h"
#include "support/tree.h"
#include "util/units.h"

static struct sources sources;
static struct cpu_quotas quotas;

static void a_line_of_a_cpu(void **state)
{
    struct reading r;
    (void)state;
    sources = (struct sources){.mount.root = tree_root(), .devices.root = tree_root()};
    tree_file("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 4 100 100 8 16 32 0 0\nintr 9\n");
    reading_take(&r, &sources, &quotas);
    assert_int_equal(r.cpus, 1);
    assert_int_equal(r.stolen_ns * 31, r.used_ns * 32);
    tree_file("proc/stat", "cpu0 1 2 4 100 100 8 16\n");
    reading_take(&r, &sources, &quotas);
    assert_int_equal(r.cpus, 1);
    assert_int_equal(r.stolen_ns, 0);
}

static void what_is_not_there_is_unknown(void **state)
{
    struct reading r;
    (void)state;
    sources = (struct sources){.mount.root = tree_root(), .devices.root = tree_root()};
    quotas.count = 0;
    reading_take(&r, &sources, &quotas);
    assert_int_equal(r.cpus, 0);
    assert_false(r.knows_own);
    assert_false(r.device.known);
    assert_true(r.ns > 0);
}

static void write_counters(const char *io, const char *disk, const char *part)
{
    tree_file("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 0 0 0 0 0 7 0 0\nintr 1 2 3\n");
    tree_file("proc/self/io", io);
    tree_file("sys/dev/block/8:0/stat", disk);
    tree_file("sys/dev/block/8:1/stat", part);
}

/* A partition, and the disk below it, which others use as well. */
static void a_difference_has_the_same_form(void **state)
{
    struct reading first;
    struct reading now;
    (void)state;
    sources = (struct sources){.mount.root = tree_root(),
                               .devices = {.root = tree_root(),
                                           .count = 2,
                                           .filesystem = 1,
                                           .devices = {{"sda1", 8, 1, 0, .is_part = true},
                                                       {"sda", 8, 0, 0, .has_parts = true}}},
                               .by = {SOURCE_DEVICE, SOURCE_DEVICE}};
    write_counters("rchar: 1\nread_bytes: 512\nwrite_bytes: 0\n", "9 0 90 1 9 0 90 1 0 4 40\n",
                   "1 0 10 1 1 0 10 1 0 2 20\n");
    reading_take(&first, &sources, &quotas);
    write_counters("rchar: 1\nread_bytes: 1024\nwrite_bytes: 4096\n",
                   "19 0 190 1 9 0 90 1 0 1004 540\n", "2 0 20 1 3 0 30 1 0 502 520\n");
    reading_take(&now, &sources, &quotas);
    struct reading d = reading_since(&now, &first);
    assert_true(d.knows_own && d.device.known);
    assert_int_equal(d.own_bytes[WAY_READ], 512);
    assert_int_equal(d.own_bytes[WAY_WRITTEN], 4096);
    assert_int_equal(d.device.read_bytes, 10 * 512);
    assert_int_equal(d.device.written_bytes, 20 * 512);
    assert_int_equal(d.device.read_ops, 1);
    assert_int_equal(d.device.part_bytes, 30 * 512);
    assert_int_equal(d.device.disk_bytes, 100 * 512);
    assert_int_equal(d.device.queue_ns, 500 * MILLION); /* of the partition alone */
    assert_int_equal(d.used_ns, 0);
    assert_true(device_busy_percent(&d.device, 2 * BILLION) == 50); /* of the disk */
    struct reading sum = d;
    reading_add(&sum, &d);
    assert_int_equal(sum.device.read_bytes, 20 * 512);
    assert_int_equal(sum.own_bytes[WAY_WRITTEN], 8192);
    sum = reading_since(&sum, &d);
    assert_int_equal(sum.device.written_bytes, d.device.written_bytes);
    d = reading_since(&first, &now); /* another device has the number now */
    assert_false(d.device.known);
}

/* As after the virtual machine has moved to another host, or the process to another group. */
static void counters_fall(void **state)
{
    const struct reading more = {
        .cpus = 2, .stolen_ns = 7, .used_ns = 7, .quota_count = 1, .quotas = {{1, 7, 7, 7, 7}}};
    const struct reading less = {.cpus = 3, .quota_count = 1};
    (void)state;
    struct reading d = reading_since(&less, &more);
    assert_int_equal(d.stolen_ns + d.used_ns, 0);
    assert_int_equal(d.cpus, 0);
    assert_int_equal(reading_throttled_ns(&d), 0);
}

/* What the ranks of a host share counts once. */
static void ranks_join(void **state)
{
    const struct reading one = {.own_ns = 10,
                                .cpus = 2,
                                .used_ns = 40,
                                .knows_own = true,
                                .own_bytes = {100, 0},
                                .device = {.known = true, .read_bytes = 300, .busy_ns = {50}}};
    struct reading all = one;
    (void)state;
    reading_join(&all, &one, false);
    assert_int_equal(all.own_ns, 20);
    assert_int_equal(all.own_bytes[WAY_READ], 200);
    assert_int_equal(all.used_ns, 40);
    assert_int_equal(all.device.read_bytes, 300);
    reading_join(&all, &one, true);
    assert_int_equal(all.cpus, 4);
    assert_int_equal(all.device.read_bytes, 600);
    assert_int_equal(all.device.busy_ns[0], 50);
}

/* In a throttled period all of it was used; by whom is not known. */
static void how_much_of_a_quota_was_used(void **state)
{
    struct reading r = {.ns = 10 * BILLION,
                        .own_ns = 3 * BILLION,
                        .quota_count = 1,
                        .quotas = {{.cpus = 0.5, .periods = 100, .throttled = 1}}};
    double cpus;
    (void)state;
    assert_true(reading_quota_percent(&r, &cpus) == 60);
    assert_true(cpus == 0.5);
    r.quotas[0].throttled = 80;
    assert_true(reading_quota_percent(&r, &cpus) == 80);
    r.own_ns = 6 * BILLION;
    assert_true(reading_quota_percent(&r, &cpus) == 100);
    r.quotas[0].throttled = 0;
    assert_true(reading_quota_percent(&r, &cpus) == 0);
    r = (struct reading){.quota_count = 1, .quotas = {{.cpus = 1, .periods = 1, .throttled = 1}}};
    assert_true(reading_quota_percent(&r, &cpus) == 0);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TREE(a_line_of_a_cpu),
        IN_TREE(what_is_not_there_is_unknown),
        IN_TREE(a_difference_has_the_same_form),
        cmocka_unit_test(counters_fall),
        cmocka_unit_test(ranks_join),
        IN_TREE(how_much_of_a_quota_was_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
