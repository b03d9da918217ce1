// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bonnie/result.h"
#include "cli/option.h"

/* Two seconds: 3000 operations, 6 MiB, three seconds of CPU time. */
static const struct test_result two_seconds = {
    .measured = true,
    .ops = 3000,
    .bytes = 6 << 20,
    .elapsed_ns = 2000000000,
    .cpu_ns = 3000000000,
};

/* Rates are doubles, and must be right to ten digits. */
static void expect_rate(double rate, double expected)
{
    assert_true(rate > expected * (1 - 1e-10) && rate < expected * (1 + 1e-10));
}

static void rates_are_per_second(void **state)
{
    (void)state;
    expect_rate(test_result_ops_per_second(&two_seconds), 1500);
    expect_rate(test_result_kib_per_second(&two_seconds), 3072);
}

static void the_rate_is_in_the_unit_of_the_test(void **state)
{
    (void)state;
    expect_rate(test_result_rate(&two_seconds, TEST_GETC), 3072);
    assert_string_equal(test_rate_unit(TEST_GETC), "KiB/s");
    static const enum test_id operations[] = {TEST_SEEKS, TEST_IOPS, TEST_RAN_DEL};
    for (size_t i = 0; i < 3; i++) {
        expect_rate(test_result_rate(&two_seconds, operations[i]), 1500);
        assert_string_equal(test_rate_unit(operations[i]), "ops/s");
    }
}

static void cpu_of_several_can_exceed_a_hundred(void **state)
{
    (void)state;
    expect_rate(test_result_cpu_percent(&two_seconds), 150);
}

static void rates_of_nothing_are_zero(void **state)
{
    (void)state;
    struct test_result skipped = two_seconds;
    skipped.measured = false;
    struct test_result instant = two_seconds;
    instant.elapsed_ns = 0;
    const struct test_result *none[] = {&skipped, &instant};
    for (size_t i = 0; i < 2; i++) {
        assert_true(test_result_ops_per_second(none[i]) == 0);
        assert_true(test_result_kib_per_second(none[i]) == 0);
        assert_true(test_result_cpu_percent(none[i]) == 0);
        assert_false(test_result_is_long_enough(none[i]));
    }
}

/* The rate of a petabyte in an hour must not overflow. */
static void large_amounts_fit(void **state)
{
    (void)state;
    struct test_result t = {
        .measured = true,
        .bytes = UINT64_C(1) << 50,
        .elapsed_ns = UINT64_C(3600000000000),
    };
    expect_rate(test_result_kib_per_second(&t), 1099511627776.0 / 3600);
}

static void ten_milliseconds_are_long_enough(void **state)
{
    (void)state;
    struct test_result t = two_seconds;
    t.elapsed_ns = 10000000;
    assert_true(test_result_is_long_enough(&t));
    t.elapsed_ns--;
    assert_false(test_result_is_long_enough(&t));
}

static void names_lead_back_to_their_tests(void **state)
{
    (void)state;
    static const char *const names[TEST_COUNT] = {
        "putc",       "put_block", "rewrite", "getc",       "get_block", "seeks",   "iops",
        "seq_create", "seq_stat",  "seq_del", "ran_create", "ran_stat",  "ran_del",
    };
    for (enum test_id test = 0; test < TEST_COUNT; test++) {
        assert_string_equal(test_names[test], names[test]);
        assert_int_equal(value_word(names[test], test_names), (int)test);
    }
    assert_int_equal(value_word("", test_names), -1);
    assert_int_equal(value_word("put", test_names), -1);
    assert_int_equal(value_word("PUTC", test_names), -1);
}

/* Seeks count operations, block tests KiB. A run without the test does not count. */
static void rates_come_from_the_runs_that_measured(void **state)
{
    (void)state;
    static struct result runs[3];
    const struct test_result t = {
        .measured = true, .ops = 300, .bytes = 6 << 20, .elapsed_ns = 3000000000};
    runs[0].tests[TEST_SEEKS] = t;
    runs[2].tests[TEST_SEEKS] = t;
    runs[2].tests[TEST_SEEKS].ops = 900;
    runs[1].tests[TEST_PUT_BLOCK] = t;
    struct summary s;
    assert_int_equal(result_summarise(&s, runs, 3, TEST_SEEKS), 0);
    assert_int_equal(s.runs, 2);
    assert_true(s.min == 100);
    assert_true(s.max == 300);
    assert_int_equal(result_summarise(&s, runs, 3, TEST_PUT_BLOCK), 0);
    assert_int_equal(s.runs, 1);
    assert_true(s.median == 2048);
    assert_int_equal(result_summarise(&s, runs, 3, TEST_GETC), 0);
    assert_int_equal(s.runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_come_from_the_runs_that_measured),
        cmocka_unit_test(rates_are_per_second),
        cmocka_unit_test(the_rate_is_in_the_unit_of_the_test),
        cmocka_unit_test(cpu_of_several_can_exceed_a_hundred),
        cmocka_unit_test(rates_of_nothing_are_zero),
        cmocka_unit_test(large_amounts_fit),
        cmocka_unit_test(ten_milliseconds_are_long_enough),
        cmocka_unit_test(names_lead_back_to_their_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
