// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/busy.h"
#include "support/tree.h"
#include "util/units.h"

/* What a machine of two CPUs did in ten seconds, in which this process used a tenth of them. */
static struct busy_reading after(void)
{
    return (struct busy_reading){
        .at_ns = 10 * BILLION, .cpus = 2, .used_ns = 2 * BILLION, .own_ns = 2 * BILLION};
}

static const struct busy_reading before = {.cpus = 2};
static const struct busy_work quiet = {.waited_ns = 0};

static void assert_words(const struct busy_evidence *e, const char *expected)
{
    char text[BUSY_TEXT];
    busy_words(text, e);
    assert_string_equal(text, expected);
}

static void others_use_the_cpus(void **state)
{
    struct busy_reading r = after();
    (void)state;
    struct busy_evidence e = busy_between(&before, &r, &quiet);
    assert_false(busy_is(&e));
    assert_words(&e, "not busy: others used 0 % of 2 CPUs");
    r.used_ns += 4999 * MILLION;
    e = busy_between(&before, &r, &quiet);
    assert_false(busy_is(&e));
    assert_words(&e, "not busy: others used 24 % of 2 CPUs");
    r.used_ns += MILLION;
    e = busy_between(&before, &r, &quiet);
    assert_true(busy_is(&e));
    assert_words(&e, "busy: others used 25 % of 2 CPUs (busy from 25 %)");
    r.used_ns -= 3000 * MILLION;
    r.stolen_ns = 3 * BILLION;
    e = busy_between(&before, &r, &quiet);
    assert_words(&e, "busy: others used 10 % and the host took 15 % of 2 CPUs (busy from 25 %)");
}

/* As after the virtual machine has moved to another host, or the process to another group. */
static void counters_fall(void **state)
{
    struct busy_reading r = after();
    const struct busy_reading more = {
        .cpus = 2, .stolen_ns = 7, .group_count = 1, .groups = {{7, 7}}};
    (void)state;
    r.group_count = 1;
    struct busy_evidence e = busy_between(&more, &r, &quiet);
    assert_false(busy_is(&e));
    assert_words(&e, "not busy: others used 0 % of 2 CPUs");
}

/* Threads that wait while their own process uses all CPUs wait for each other. */
static void threads_wait(void **state)
{
    struct busy_reading r = after();
    const struct busy_work work = {.waited_ns = 2.5e9};
    (void)state;
    struct busy_evidence e = busy_between(&before, &r, &work);
    assert_true(busy_is(&e));
    assert_words(&e, "busy: others used 0 % of 2 CPUs; a thread waited for a CPU 25 % of the time "
                     "(busy from 25 %)");
    r.own_ns = r.used_ns = 18 * BILLION;
    e = busy_between(&before, &r, &work);
    assert_false(busy_is(&e));
    const struct busy_work unknown = {.waited_ns = -1};
    e = busy_between(&before, &r, &unknown);
    assert_words(&e, "not busy: others used 0 % of 2 CPUs");
}

static void a_quota_holds_back(void **state)
{
    struct busy_reading r = after();
    const struct busy_reading first = {.cpus = 2, .group_count = 2};
    (void)state;
    r.group_count = 2;
    r.groups[0] = (struct busy_group){.throttled_ns = BILLION / 10, .periods_ns = BILLION};
    struct busy_evidence e = busy_between(&first, &r, &quiet);
    assert_true(busy_is(&e));
    assert_words(&e, "busy: others used 0 % of 2 CPUs; a quota held the program back 1 % of the "
                     "time (busy from 1 %)");
}

/* 64 CPUs at a time, and two groups, of which one is above the other. */
static void a_moment_counts_once(void **state)
{
    struct busy_reading r = after();
    const struct busy_reading first = {.cpus = 2, .group_count = 2};
    (void)state;
    r.group_count = 2;
    r.groups[0] = r.groups[1] =
        (struct busy_group){.throttled_ns = 64 * BILLION / 20, .periods_ns = 95 * MILLION};
    struct busy_evidence e = busy_between(&first, &r, &quiet);
    assert_false(busy_is(&e));
    r.groups[1].periods_ns = 200 * MILLION;
    e = busy_between(&first, &r, &quiet);
    assert_words(&e, "busy: others used 0 % of 2 CPUs; a quota held the program back 2 % of the "
                     "time (busy from 1 %)");
    r.group_count = 1; /* it has been moved to another group */
    e = busy_between(&first, &r, &quiet);
    assert_false(busy_is(&e));
}

/* Journal and metadata are written for this process, and do not count as those of others. */
static void others_use_the_device(void **state)
{
    struct busy_reading r = after();
    const struct busy_reading first = {.cpus = 2, .knows_bytes = true, .device.known = true};
    const struct busy_work work = {.requests = 100};
    (void)state;
    r.knows_bytes = r.device.known = true;
    r.read_bytes = 1000 * MIB;
    r.written_bytes = 10 * MIB;
    r.device.read_bytes = 1000 * MIB;
    r.device.written_bytes = 26 * MIB;
    struct busy_evidence e = busy_between(&first, &r, &work);
    assert_false(busy_is(&e));
    r.device.read_bytes = 1200 * MIB;
    e = busy_between(&first, &r, &work);
    assert_true(busy_is(&e));
    assert_words(&e, "busy: others used 0 % of 2 CPUs; others moved 16 % of the device's bytes "
                     "(busy from 10 %)");
}

static void ranks_beside_are_no_others(void **state)
{
    struct busy_reading r = after();
    (void)state;
    r.used_ns = 9 * BILLION;
    struct busy_evidence e = busy_between(&before, &r, &quiet);
    assert_true(busy_is(&e));
    busy_among(&e, 4);
    assert_false(busy_is(&e));
    busy_among(&e, 4);
    assert_true(e.own_percent <= 100); /* they may not use as much as this one */
    struct busy_evidence busiest = busy_unknown;
    assert_words(&busiest, "not busy: others used an unknown share of the CPUs");
    busy_keep_busier(&busiest, &e);
    assert_words(&busiest, "not busy: others used 0 % of 2 CPUs");
}

static void counters_of_the_kernel(void **state)
{
    struct busy_reading r;
    unsigned cpu;
    uint64_t used_ns;
    uint64_t stolen_ns;
    (void)state;
    assert_false(busy_parse_cpu("cpu  9 9 9 9 9 9 9 9 0 0\n", &cpu, &used_ns, &stolen_ns));
    assert_false(busy_parse_cpu("intr 9\n", &cpu, &used_ns, &stolen_ns));
    assert_true(busy_parse_cpu("cpu3 1 2 4 100 100 8 16 32 0 0\n", &cpu, &used_ns, &stolen_ns));
    assert_int_equal(cpu, 3);
    assert_int_equal(stolen_ns * 31, used_ns * 32);
    assert_true(busy_parse_cpu("cpu3 1 2 4 100 100 8 16\n", &cpu, &used_ns, &stolen_ns));
    assert_int_equal(stolen_ns, 0);
    busy_read(&r, NULL, tree_root());
    assert_int_equal(r.cpus, 0);
    tree_file("proc/self/cgroup", "3:cpu,cpuacct:/a\n0::/a/b\n");
    tree_file("proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
                                     "31 1 0:27 / /cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
    tree_file("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 7\nnr_throttled 2\nthrottled_usec 3\n");
    tree_file("sys/fs/cgroup/a/cpu.stat", "usage_usec 7\nnr_throttled 4\nthrottled_usec 20\n");
    tree_file("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    tree_file("cpu/a/cpu.stat", "nr_periods 0\nnr_throttled 1\nthrottled_time 500\n");
    tree_file("cpu/a/cpu.cfs_period_us", "20000\n");
    busy_read(&r, NULL, tree_root());
    assert_int_equal(r.groups[0].throttled_ns, 3000);
    assert_int_equal(r.groups[1].throttled_ns, 20000);
    assert_int_equal(r.groups[1].periods_ns, 400 * MILLION);
    while (r.group_count > 0 && r.groups[r.group_count - 1].throttled_ns != 500)
        r.group_count--; /* groups above it have no files */
    assert_int_equal(r.groups[r.group_count - 1].periods_ns, 20 * MILLION);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_use_the_cpus),   cmocka_unit_test(threads_wait),
        cmocka_unit_test(counters_fall),         cmocka_unit_test(a_quota_holds_back),
        cmocka_unit_test(others_use_the_device), cmocka_unit_test(ranks_beside_are_no_others),
        cmocka_unit_test(a_moment_counts_once),  IN_TREE(counters_of_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
