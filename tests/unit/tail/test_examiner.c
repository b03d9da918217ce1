// SPDX-License-Identifier: GPL-2.0-or-later
/* How long a thread has waited for a CPU during an operation, by samples of its run delay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tail/examiner.h"

static struct run_delay d;

static void begin(void)
{
    memset(&d, 0, sizeof d);
}

static void sample(uint64_t before_ns, uint64_t after_ns, uint64_t waited_ns)
{
    d.samples[d.count++ % RUN_DELAY_SAMPLES] =
        (struct run_delay_sample){before_ns, after_ns, waited_ns};
}

static void nothing_is_proved_without_samples_on_both_sides(void **state)
{
    (void)state;
    begin();
    assert_int_equal(run_delay_least(&d, 100, 200), 0);
    sample(110, 111, 0);
    assert_int_equal(run_delay_least(&d, 100, 200), 0);
    sample(150, 151, 70);
    assert_int_equal(run_delay_least(&d, 100, 200), 0);
    begin();
    sample(90, 91, 0); /* a wait that began before the operation may be added from here on */
    sample(205, 206, 90);
    assert_int_equal(run_delay_least(&d, 100, 200), 0);
    begin();
    sample(99, 101, 0); /* taken before or after the beginning */
    sample(205, 206, 90);
    assert_int_equal(run_delay_least(&d, 100, 200), 0);
}

static void what_was_added_during_the_operation_counts(void **state)
{
    (void)state;
    begin();
    sample(50, 51, 1000);
    sample(105, 106, 1500); /* waits until here may have begun before the operation */
    sample(150, 151, 1530);
    sample(200, 203, 1590);
    sample(250, 251, 1990);
    assert_int_equal(run_delay_least(&d, 100, 200), 90 - 3);
    assert_int_equal(run_delay_least(&d, 100, 210), 490 - 41);
}

static void what_may_be_of_the_time_after_it_does_not(void **state)
{
    (void)state;
    begin();
    sample(105, 106, 0);
    sample(240, 245, 40);
    assert_int_equal(run_delay_least(&d, 100, 200), 0);
    assert_int_equal(run_delay_least(&d, 100, 230), 40 - 15);
}

static void the_oldest_samples_are_replaced(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 3 * RUN_DELAY_SAMPLES; i++)
        sample(10 * i, 10 * i + 1, 4 * i);
    uint64_t last_ns = 10 * (3 * RUN_DELAY_SAMPLES - 1);
    assert_int_equal(run_delay_least(&d, 0, 100), 0);
    assert_int_equal(run_delay_least(&d, 0, last_ns), 4 * (RUN_DELAY_SAMPLES - 1) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_proved_without_samples_on_both_sides),
        cmocka_unit_test(what_was_added_during_the_operation_counts),
        cmocka_unit_test(what_may_be_of_the_time_after_it_does_not),
        cmocka_unit_test(the_oldest_samples_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
