// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/reading.h"
#include "support/tree.h"
#include "util/units.h"

static void mount_v2(const char *group)
{
    tree_file("proc/self/cgroup", group);
    tree_file("proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
}

static void mount_v1(void)
{
    tree_file("proc/self/cgroup", "7:memory:/jobs/one\n6:cpu,cpuacct:/jobs/one\n0::/\n");
    tree_file("proc/self/mountinfo",
              "28 1 0:24 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
              "29 1 0:25 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
              "30 1 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
}

static void the_lowest_limit_of_memory_holds(void **state)
{
    (void)state;
    assert_int_equal(control_group_memory(tree_root()), 0);
    mount_v2("0::/a/b\n");
    assert_int_equal(control_group_memory(tree_root()), 0);
    tree_file("sys/fs/cgroup/a/b/memory.max", "max\n");
    tree_file("sys/fs/cgroup/a/b/memory.high", "max\n");
    assert_int_equal(control_group_memory(tree_root()), 0);
    tree_file("sys/fs/cgroup/a/memory.max", "536870912\n");
    assert_int_equal(control_group_memory(tree_root()), 512 * MIB);
    tree_file("sys/fs/cgroup/a/b/memory.high", "268435456\n");
    assert_int_equal(control_group_memory(tree_root()), 256 * MIB);
}

static void memory_in_version_1(void **state)
{
    (void)state;
    mount_v1();
    tree_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree_file("sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(control_group_memory(tree_root()), 0);
    tree_file("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "268435456\n");
    assert_int_equal(control_group_memory(tree_root()), 256 * MIB);
}

static struct cpu_quotas quotas;

static double quota_cpus(void)
{
    cpu_quotas_find(&quotas, tree_root());
    return cpu_quotas_lowest(&quotas);
}

static void the_lowest_quota_holds(void **state)
{
    (void)state;
    assert_true(quota_cpus() == 0);
    mount_v2("0::/a/b\n");
    tree_file("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_true(quota_cpus() == 0);
    tree_file("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    tree_file("sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nnr_periods 109\nnr_throttled 59\n"
                                          "throttled_usec 1234\n");
    assert_true(quota_cpus() == 0.5);
    struct quota_counts now;
    cpu_quota_read(&quotas.list[0], &now);
    assert_int_equal(now.periods, 109);
    assert_int_equal(now.throttled, 59);
    assert_int_equal(now.throttled_ns, 1234000);
    assert_int_equal(now.period_ns, 100 * MILLION);
    tree_file("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
    assert_true(quota_cpus() == 0.5);
    assert_int_equal(quotas.count, 2);
}

static void quotas_of_version_1(void **state)
{
    (void)state;
    mount_v1();
    tree_file("sys/fs/cgroup/cpu,cpuacct/jobs/one/cpu.cfs_quota_us", "-1\n");
    tree_file("sys/fs/cgroup/cpu,cpuacct/jobs/one/cpu.cfs_period_us", "100000\n");
    assert_true(quota_cpus() == 0);
    tree_file("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "5000\n");
    tree_file("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "20000\n");
    assert_true(quota_cpus() == 0.25);
    struct quota_counts now;
    cpu_quota_read(&quotas.list[0], &now);
    assert_int_equal(now.periods, 0); /* there is no cpu.stat */
    tree_file("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.stat",
              "nr_periods 7\nnr_throttled 1\nthrottled_time 500\n");
    cpu_quota_read(&quotas.list[0], &now);
    assert_int_equal(now.throttled_ns, 500);
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_lowest_limit_of_memory_holds), CASE(memory_in_version_1),
        CASE(the_lowest_quota_holds),           CASE(quotas_of_version_1),
        CASE(how_much_of_a_quota_was_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
