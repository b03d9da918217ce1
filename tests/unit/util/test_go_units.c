// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/go_units.h"

static void expect_text(uint64_t nanoseconds, const char *text)
{
    assert_string_equal(go_duration(nanoseconds).text, text);
}

static void durations_as_go_prints_them(void **state)
{
    (void)state;
    expect_text(0, "0s");
    expect_text(999, "999ns");
    expect_text(1000, "1\302\265s");
    expect_text(999999, "999.999\302\265s");
    expect_text(537250, "537.25\302\265s");
    expect_text(1353748, "1.353748ms");
    expect_text(80120, "80.12\302\265s");
    expect_text(1000000, "1ms");
    expect_text(999999999, "999.999999ms");
    expect_text(1000000000, "1s");
    expect_text(90000000000, "1m30s");
    expect_text(3600000000000, "1h0m0s");
    expect_text(3661500000000, "1h1m1.5s");
    expect_text(UINT64_MAX, "5124095h34m33.709551615s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(durations_as_go_prints_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
