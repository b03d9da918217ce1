// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "measure/control_group.h"
#include "support/tree.h"
#include "util/units.h"

/* ---- limits of I/O --------------------------------------------------------------------------- */

static struct io_limit limit;

/* A partition and its disk. */
static const struct device_set *devices(void)
{
    static struct device_set set;
    set = (struct device_set){
        .root = tree_root(), .count = 2, .devices = {{.major = 8, .minor = 1}, {.major = 8}}};
    return &set;
}

static void find(void)
{
    io_limit_find(&limit, devices(), 0);
}

static void assert_limit(uint64_t read_bytes, uint64_t written_bytes, uint64_t read_ops,
                         uint64_t write_ops)
{
    assert_int_equal(limit.per_second[IO_LIMIT_READ_BYTES], read_bytes);
    assert_int_equal(limit.per_second[IO_LIMIT_WRITTEN_BYTES], written_bytes);
    assert_int_equal(limit.per_second[IO_LIMIT_READ_OPS], read_ops);
    assert_int_equal(limit.per_second[IO_LIMIT_WRITE_OPS], write_ops);
}

static void mount_v2(const char *group)
{
    tree_file("proc/self/cgroup", group);
    tree_file("proc/self/mountinfo",
              "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n");
}

static void no_group_has_no_limit(void **state)
{
    (void)state;
    find();
    assert_limit(0, 0, 0, 0);
    mount_v2("0::/\n");
    find();
    assert_limit(0, 0, 0, 0);
}

static void the_lowest_of_all_groups_above_holds(void **state)
{
    (void)state;
    mount_v2("0::/a/b\n");
    tree_file("sys/fs/cgroup/a/b/io.max", "8:16 rbps=1 wbps=1 riops=1 wiops=1\n"
                                          "8:0 rbps=20971520 wbps=max riops=500 wiops=max\n");
    tree_file("sys/fs/cgroup/a/io.max", "8:0 rbps=30000000 wbps=1000000 riops=400 wiops=max\n");
    find();
    assert_limit(20971520, 1000000, 400, 0);
}

static void a_container_sees_its_own_group_as_the_top(void **state)
{
    (void)state;
    mount_v2("0::/\n");
    tree_file("sys/fs/cgroup/io.max", "8:0 rbps=max wbps=max riops=max wiops=77\n");
    find();
    assert_limit(0, 0, 0, 77);
}

static void mount_v1(const char *top)
{
    char line[256];
    tree_file("proc/self/cgroup", "9:name=systemd:/\n7:cpu,blkio:/jobs/one\n0::/else\n");
    snprintf(line, sizeof line,
             "28 1 0:24 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
             "29 1 0:25 %s /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio,cpu\n",
             top);
    tree_file("proc/self/mountinfo", line);
}

static void version_1_has_a_file_for_each(void **state)
{
    (void)state;
    mount_v1("/");
    tree_file("sys/fs/cgroup/blkio/blkio.throttle.read_bps_device",
              "8:0 1\n"); /* a limit of another device */
    tree_file("sys/fs/cgroup/blkio/jobs/one/blkio.throttle.read_bps_device",
              "8:16 5\n8:0 20971520\n");
    tree_file("sys/fs/cgroup/blkio/jobs/one/blkio.throttle.write_bps_device", "8:0 30000000\n");
    tree_file("sys/fs/cgroup/blkio/jobs/one/blkio.throttle.read_iops_device", "");
    tree_file("sys/fs/cgroup/blkio/jobs/one/blkio.throttle.write_iops_device", "8:1 99\n");
    find();
    assert_limit(20971520, 30000000, 0, 99);
}

static void only_a_part_of_a_hierarchy_may_be_mounted(void **state)
{
    (void)state;
    mount_v1("/jobs");
    tree_file("sys/fs/cgroup/blkio/one/blkio.throttle.read_bps_device", "8:0 4096\n");
    find();
    assert_limit(4096, 0, 0, 0);
    mount_v1("/elsewhere");
    find();
    assert_limit(0, 0, 0, 0);
    tree_file("sys/fs/cgroup/blkios/one/blkio.throttle.read_bps_device", "8:0 4096\n");
    mount_v1("/job");
    find();
    assert_limit(0, 0, 0, 0);
}

/* Two hosts together may do twice as much. If one of them has no limit, the sum has none. */
static void limits_of_several_hosts(void **state)
{
    struct io_limit all = {{100, 200, 0, 0}};
    const struct io_limit one = {{10, 0, 30, 0}};
    (void)state;
    io_limit_join(&all, &one);
    const uint64_t expected[IO_LIMIT_KINDS] = {110, 0, 0, 0};
    assert_memory_equal(all.per_second, expected, sizeof expected);
}

static void what_is_no_limit_is_none(void **state)
{
    (void)state;
    static const char *const lines[] = {"",    "\n",         "8:0",          "8:0 \n", "8:0 max\n",
                                        "8 0", "8:0 rbps=x", "8:0 rbps=0\n", "x:y 5",  "8:2 5"};
    limit = (struct io_limit){0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        io_limit_read_line(&limit, devices(), lines[i], IO_LIMIT_KINDS);
        io_limit_read_line(&limit, devices(), lines[i], IO_LIMIT_READ_OPS);
    }
    assert_limit(0, 0, 0, 0);
}

/* Nobody knows what a limit was that changed meanwhile; the next test begins with the new one. */
static void what_changed_is_not_known(void **state)
{
    (void)state;
    mount_v2("0::/a\n");
    tree_file("sys/fs/cgroup/a/io.max", "8:0 rbps=1000 wbps=max riops=400 wiops=max\n");
    find();
    tree_file("sys/fs/cgroup/a/io.max", "8:0 rbps=1000 wbps=900 riops=300 wiops=max\n");
    const struct io_limit kept = io_limit_kept(&limit, devices());
    assert_limit(1000, 900, 300, 0);
    limit = kept;
    assert_limit(1000, 0, 0, 0);
}

/* ---- memory and CPU -------------------------------------------------------------------------- */

static void mount_memory_and_cpu(void)
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
    mount_memory_and_cpu();
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
    mount_memory_and_cpu();
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

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TREE(no_group_has_no_limit),
        IN_TREE(the_lowest_of_all_groups_above_holds),
        IN_TREE(a_container_sees_its_own_group_as_the_top),
        IN_TREE(version_1_has_a_file_for_each),
        IN_TREE(only_a_part_of_a_hierarchy_may_be_mounted),
        IN_TREE(limits_of_several_hosts),
        IN_TREE(what_is_no_limit_is_none),
        IN_TREE(what_changed_is_not_known),
        IN_TREE(the_lowest_limit_of_memory_holds),
        IN_TREE(memory_in_version_1),
        IN_TREE(the_lowest_quota_holds),
        IN_TREE(quotas_of_version_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
