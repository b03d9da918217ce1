// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/control_group.h"
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

static struct cpu_quota quota;

static double quota_cpus(void)
{
    cpu_quota_find(&quota, tree_root());
    return quota.cpus;
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
    struct quota_periods p = cpu_quota_periods(&quota);
    assert_int_equal(p.all, 109);
    assert_int_equal(p.throttled, 59);
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
    struct quota_periods p = cpu_quota_periods(&quota);
    assert_int_equal(p.all, 0); /* there is no cpu.stat */
}

/* In a throttled period all of it was used; by whom is not known. */
static void how_much_of_a_quota_was_used(void **state)
{
    (void)state;
    const struct cpu_quota half = {.cpus = 0.5};
    const struct quota_periods most = {.all = 100, .throttled = 80};
    const struct quota_periods some = {.all = 100, .throttled = 1};
    const struct quota_periods none = {.all = 100};
    assert_true(cpu_quota_used(&half, &some, 3 * BILLION, 10 * BILLION) == 60);
    assert_true(cpu_quota_used(&half, &most, 3 * BILLION, 10 * BILLION) == 80);
    assert_true(cpu_quota_used(&half, &most, 6 * BILLION, 10 * BILLION) == 100);
    assert_true(cpu_quota_used(&half, &none, 3 * BILLION, 10 * BILLION) == 0);
    assert_true(cpu_quota_used(&half, &most, 3 * BILLION, 0) == 0);
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
