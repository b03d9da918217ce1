#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gauge.h"

#define SECOND UINT64_C(1000000000)
#define MIB    (UINT64_C(1) << 20)

static char text[GAUGE_TEXT];

static const char *line(const struct gauge_reading *r, unsigned columns)
{
    size_t length = gauge_text(text, "Writing in chunks", r, 7 * SECOND, columns);
    assert_int_equal(length, strlen(text));
    return text;
}

static void says_how_long_it_has_been_preparing(void **state)
{
    (void)state;
    const struct gauge_reading r = {.goal_bytes = MIB};
    assert_string_equal(line(&r, 80), "Writing in chunks: preparing, 7 s");
}

static void shows_bar_percent_rate_and_time_left(void **state)
{
    (void)state;
    const struct gauge_reading r = {
        .elapsed_ns = 2 * SECOND, .bytes = 256 * MIB, .goal_bytes = 1024 * MIB};
    assert_string_equal(line(&r, 80), "Writing in chunks [#########...........................]"
                                      "  25 % 128m/s, 6 s left");
    assert_string_equal(line(&r, 200), "Writing in chunks [#########.............................]"
                                       "  25 % 128m/s, 6 s left");
    assert_string_equal(line(&r, 44), "Writing in chunks  25 % 128m/s, 6 s left");
    assert_string_equal(line(&r, 40), "Writing in chunks [#.....]  25 % 128m/s");
    assert_string_equal(line(&r, 30), "Writing in chunks  25 %");
    assert_string_equal(line(&r, 11), "Writing in");
}

static void never_fills_the_last_column(void **state)
{
    (void)state;
    const struct gauge_reading r = {
        .elapsed_ns = 90 * SECOND, .ops = 5, .bytes = 256 * MIB, .goal_bytes = 1024 * MIB};
    for (unsigned columns = 1; columns < 700; columns++) {
        size_t length = gauge_text(text, "Writing in chunks", &r, 0, columns);
        assert_in_range(length, columns > 1 ? 1 : 0, columns > 1 ? columns - 1 : 1);
        assert_int_equal(strlen(text), length);
    }
}

static void counts_operations_where_there_are_no_bytes_to_go(void **state)
{
    (void)state;
    const struct gauge_reading r = {.elapsed_ns = SECOND * 200, .ops = 5000, .goal_ops = 100000};
    assert_non_null(strstr(line(&r, 80), "   5 % 25/s, 1 h 03 min left"));
}

/* Whatever is furthest from its goal decides: rounds go on until time is up, too. */
static void the_last_goal_counts(void **state)
{
    (void)state;
    struct gauge_reading r = {
        .elapsed_ns = SECOND, .ops = 500, .goal_ops = 1000, .goal_ns = 4 * SECOND};
    assert_true(gauge_fraction(&r) == .25);
    r.elapsed_ns = 3 * SECOND;
    assert_true(gauge_fraction(&r) == .5);
    r.ops = 2000;
    r.elapsed_ns = 9 * SECOND;
    assert_true(gauge_fraction(&r) == 1);
    const struct gauge_reading none = {.elapsed_ns = 1, .ops = 1};
    assert_true(gauge_fraction(&none) < 0);
}

static void does_not_guess_too_soon(void **state)
{
    (void)state;
    const struct gauge_reading r = {
        .elapsed_ns = SECOND / 2, .bytes = 256 * MIB, .goal_bytes = 1024 * MIB};
    assert_null(strstr(line(&r, 80), "left"));
}

/* All is handed over, but not yet on the device. */
static void says_when_only_the_end_is_missing(void **state)
{
    (void)state;
    const struct gauge_reading r = {
        .elapsed_ns = 4 * SECOND, .bytes = 1024 * MIB, .goal_bytes = 1024 * MIB};
    assert_non_null(strstr(line(&r, 80), "] 100 % 256m/s, finishing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_how_long_it_has_been_preparing),
        cmocka_unit_test(shows_bar_percent_rate_and_time_left),
        cmocka_unit_test(never_fills_the_last_column),
        cmocka_unit_test(counts_operations_where_there_are_no_bytes_to_go),
        cmocka_unit_test(the_last_goal_counts),
        cmocka_unit_test(does_not_guess_too_soon),
        cmocka_unit_test(says_when_only_the_end_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
