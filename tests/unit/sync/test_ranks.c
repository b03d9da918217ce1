// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sync/ranks.h"

static void expect(uint64_t spread_ns, uint64_t clock_uncertainty_ns, const char *expected)
{
    char text[STARTS_TEXT];
    starts_text(text, spread_ns, clock_uncertainty_ns);
    assert_string_equal(text, expected);
}

static void one_clock_has_no_uncertainty(void **state)
{
    (void)state;
    expect(476000, 0, "within 476 us of one another");
    expect(0, 0, "within 0 ns of one another");
    expect(999, 0, "within 999 ns of one another");
    expect(13579000, 0, "within 13.6 ms of one another");
}

static void times_are_rounded_up(void **state)
{
    (void)state;
    expect(1, 1, "within 1 ns of one another (their clocks could be compared to within 1 ns)");
    expect(476001, 4000,
           "within 477 us of one another (their clocks could be compared to within 4.00 us)");
}

static void the_longest_times_have_room(void **state)
{
    (void)state;
    char text[STARTS_TEXT];
    starts_text(text, INT64_MAX, INT64_MAX);
    assert_non_null(strstr(text, "to within 9230000000 s"));
    assert_int_equal(text[strlen(text) - 1], ')');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_clock_has_no_uncertainty),
        cmocka_unit_test(times_are_rounded_up),
        cmocka_unit_test(the_longest_times_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
