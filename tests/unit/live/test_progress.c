// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "live/progress.h"
#include "util/units.h"

#define SECOND UINT64_C(1000000000)

static char text[PROGRESS_BAR_TEXT];

static const char *line(const struct progress_reading *r, unsigned columns)
{
    size_t length = progress_bar_text(text, "Writing in chunks", r, 7 * SECOND, columns);
    assert_int_equal(length, strlen(text));
    return text;
}

static void says_how_long_it_has_been_preparing(void **state)
{
    (void)state;
    const struct progress_reading r = {.goal_bytes = MIB};
    assert_string_equal(line(&r, 80), "Writing in chunks: preparing, 7 s");
    const struct progress_reading further = {
        .elapsed_ns = SECOND / 2, .ops = 500, .goal_ops = 100, .preparing_round = 34};
    assert_string_equal(line(&further, 80), "Writing in chunks: preparing round 34, 7 s");
}

static void shows_bar_percent_rate_and_time_left(void **state)
{
    (void)state;
    const struct progress_reading r = {
        .elapsed_ns = 2 * SECOND, .bytes = 256 * MIB, .goal_bytes = 1024 * MIB};
    assert_string_equal(line(&r, 80), "Writing in chunks [#######.......................]"
                                      "  25 %, 6 s left, 128 MiB/s");
    assert_string_equal(line(&r, 200), "Writing in chunks [#########.............................]"
                                       "  25 %, 6 s left, 128 MiB/s");
    assert_string_equal(line(&r, 50), "Writing in chunks  25 %, 6 s left, 128 MiB/s");
    assert_string_equal(line(&r, 45), "Writing in chunks [#.....]  25 %, 6 s left");
    assert_string_equal(line(&r, 32), "Writing in chunks  25 %");
    assert_string_equal(line(&r, 13), "Writing in");
}

/* The two columns before the last one stay empty, too: a terminal shows ^C there. */
static void never_fills_the_last_column(void **state)
{
    (void)state;
    const struct progress_reading r = {
        .elapsed_ns = 90 * SECOND, .ops = 5, .bytes = 256 * MIB, .goal_bytes = 1024 * MIB};
    for (unsigned columns = 1; columns < 700; columns++) {
        size_t length = progress_bar_text(text, "Writing in chunks", &r, 0, columns);
        assert_in_range(length, 1, columns > 3 ? columns - 3 : 1);
        assert_int_equal(strlen(text), length);
    }
}

static void counts_operations_where_there_are_no_bytes_to_go(void **state)
{
    (void)state;
    const struct progress_reading r = {.elapsed_ns = SECOND * 200, .ops = 5000, .goal_ops = 100000};
    assert_non_null(strstr(line(&r, 80), "   5 %, 1 h 03 min left, 25.0/s"));
    const struct progress_reading nearly = {.elapsed_ns = 2 * SECOND, .ops = 99, .goal_ops = 100};
    assert_non_null(strstr(line(&nearly, 80), ", 1 s left"));
    const struct progress_reading hour = {.elapsed_ns = 200 * SECOND, .ops = 200, .goal_ops = 3800};
    assert_non_null(strstr(line(&hour, 80), ", 1 h 00 min left"));
}

/* The goal that is furthest away decides, because rounds also continue until the time is over. */
static void the_last_goal_counts(void **state)
{
    (void)state;
    struct progress_reading r = {
        .elapsed_ns = SECOND, .ops = 500, .goal_ops = 1000, .goal_ns = 4 * SECOND};
    assert_true(progress_bar_fraction(&r) == .25);
    r.elapsed_ns = 3 * SECOND;
    assert_true(progress_bar_fraction(&r) == .5);
    r.ops = 2000;
    r.elapsed_ns = 9 * SECOND;
    assert_true(progress_bar_fraction(&r) == 1);
    const struct progress_reading none = {.elapsed_ns = 1, .ops = 1};
    assert_true(progress_bar_fraction(&none) < 0);
}

static void does_not_guess_too_soon(void **state)
{
    (void)state;
    const struct progress_reading r = {
        .elapsed_ns = SECOND / 2, .bytes = 256 * MIB, .goal_bytes = 1024 * MIB};
    assert_null(strstr(line(&r, 80), "left"));
}

/* Everything was submitted, but has not reached the device. */
static void says_when_only_the_end_is_missing(void **state)
{
    (void)state;
    const struct progress_reading r = {
        .elapsed_ns = 4 * SECOND, .bytes = 1024 * MIB, .goal_bytes = 1024 * MIB};
    assert_non_null(strstr(line(&r, 80), "] 100 %, finishing, 256 MiB/s"));
}

/* The line is that of all phases: the bar, and the time, which needs to know what is to come. */
static void shows_the_place_among_several_phases(void **state)
{
    (void)state;
    struct progress_reading r = {.elapsed_ns = 2 * SECOND,
                                 .bytes = 256 * MIB,
                                 .goal_bytes = 1024 * MIB,
                                 .phase = 3,
                                 .phases = 9,
                                 .later_ns = 10 * SECOND};
    assert_string_equal(line(&r, 80), "Writing in chunks [#######.....................]"
                                      " 3 of 9, 16 s left, 128 MiB/s");
    assert_string_equal(line(&r, 46), "Writing in chunks 3 of 9, 16 s left");
    assert_string_equal(line(&r, 28), "Writing in chunks 3 of 9");
    r.later_bytes = 512 * MIB; /* 4 s more */
    assert_non_null(strstr(line(&r, 80), " 3 of 9, 20 s left, "));
    r.bytes = 1024 * MIB;
    assert_non_null(strstr(line(&r, 80), " 3 of 9, 11 s left, "));
    r.is_unforeseen = true;
    assert_null(strstr(line(&r, 80), "left"));
    r.phase = 9;
    assert_non_null(strstr(line(&r, 80), " 9 of 9, finishing, "));
}

static const char *figures(const struct progress_reading *r)
{
    progress_figures(text, r);
    return text;
}

static void a_line_that_is_done_keeps_rate_and_time(void **state)
{
    (void)state;
    struct progress_reading r = {
        .elapsed_ns = 9 * SECOND / 10, .ops = 900, .bytes = 900 * MIB, .goal_bytes = 1};
    assert_string_equal(figures(&r), "0.98 GiB/s  900 ms");
    r.elapsed_ns = 185 * SECOND;
    assert_string_equal(figures(&r), "4.86 MiB/s  3 min 05 s");
    r.goal_bytes = 0;
    assert_string_equal(figures(&r), "4.86/s  3 min 05 s");
    r.elapsed_ns = SECOND / 100;
    assert_string_equal(figures(&r), "90.0 k/s  10.0 ms");
    r.elapsed_ns--; /* the time is too short for a rate */
    assert_string_equal(figures(&r), "10.0 ms");
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
        cmocka_unit_test(shows_the_place_among_several_phases),
        cmocka_unit_test(a_line_that_is_done_keeps_rate_and_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
