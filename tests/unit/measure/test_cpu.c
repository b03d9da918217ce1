// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/clock.h"
#include "measure/cpu.h"

/* Reads the waiting time from a file with this text. */
static bool read_text(const char *text, uint64_t *waited_ns)
{
    int fd = memfd_create("schedstat", 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    lseek(fd, 0, SEEK_SET);
    bool is_known = cpu_read_schedstat(fd, waited_ns);
    close(fd);
    return is_known;
}

static void the_second_number_is_the_waiting(void **state)
{
    (void)state;
    uint64_t waited = 7;
    assert_true(read_text("514735 3682205 3\n", &waited));
    assert_int_equal(waited, 3682205);
    assert_true(read_text("514735 0 3\n", &waited));
    assert_int_equal(waited, 0);
}

static void what_was_not_counted_is_not_known(void **state)
{
    (void)state;
    static const char *const texts[] = {"0 0 0\n", "", "1 2\n", "1 x 3\n", "\n"};
    uint64_t waited = 7;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(read_text(texts[i], &waited));
    assert_int_equal(waited, 7);
}

static void what_is_unknown_in_one_is_unknown_in_the_sum(void **state)
{
    (void)state;
    struct cpu_demand sum = {.computed_ns = 1, .waited_ns = 2};
    const struct cpu_demand known = {.computed_ns = 10, .waited_ns = 20};
    const struct cpu_demand unknown = {.computed_ns = 100, .waited_unknown = true};
    cpu_demand_add(&sum, &known);
    assert_int_equal(sum.computed_ns, 11);
    assert_int_equal(sum.waited_ns, 22);
    assert_false(sum.waited_unknown);
    cpu_demand_add(&sum, &unknown);
    cpu_demand_add(&sum, &known);
    assert_int_equal(sum.computed_ns, 121);
    assert_true(sum.waited_unknown);
    assert_int_equal(sum.waited_ns, 0);
    assert_true(cpu_demand_between(&known, &unknown).waited_unknown);
    assert_true(cpu_demand_between(&unknown, &known).waited_unknown);
}

static void the_larger_demand_is_kept_whole(void **state)
{
    (void)state;
    struct cpu_demand most = {0};
    const struct cpu_demand all[] = {{.computed_ns = 5, .waited_ns = 1},
                                     {.computed_ns = 2, .waited_ns = 9},
                                     {.computed_ns = 10}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        cpu_demand_keep_larger(&most, &all[i]);
    assert_int_equal(most.computed_ns, 2);
    assert_int_equal(most.waited_ns, 9);
}

static void compute(uint64_t nanoseconds)
{
    struct cpu_demand start = cpu_demand_of_thread();
    struct cpu_demand now;
    do
        now = cpu_demand_of_thread();
    while (now.computed_ns - start.computed_ns < nanoseconds);
}

static void *compete(void *argument)
{
    (void)argument;
    compute(200000000);
    return NULL;
}

/* Two threads that compute on one CPU wait for each other. */
static void a_thread_that_waits_for_a_cpu_knows_it(void **state)
{
    (void)state;
    struct cpu_demand before = cpu_demand_of_thread();
    if (before.waited_unknown)
        skip();
    cpu_set_t usable;
    cpu_set_t one;
    assert_int_equal(sched_getaffinity(0, sizeof usable, &usable), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &usable))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, compete, NULL), 0);
    compute(200000000);
    struct cpu_demand after = cpu_demand_of_thread();
    pthread_join(other, NULL);
    sched_setaffinity(0, sizeof usable, &usable);
    struct cpu_demand between = cpu_demand_between(&before, &after);
    assert_true(between.computed_ns >= 200000000);
    assert_false(between.waited_unknown);
    assert_true(between.waited_ns > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_number_is_the_waiting),
        cmocka_unit_test(what_was_not_counted_is_not_known),
        cmocka_unit_test(what_is_unknown_in_one_is_unknown_in_the_sum),
        cmocka_unit_test(the_larger_demand_is_kept_whole),
        cmocka_unit_test(a_thread_that_waits_for_a_cpu_knows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
