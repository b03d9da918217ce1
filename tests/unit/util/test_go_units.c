// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/go_units.h"

#define UNTOUCHED 4711

static void expect_duration(const char *text, uint64_t nanoseconds)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(go_parse_duration(text, &value), 0);
    assert_int_equal(value, nanoseconds);
}

static void refuse_duration(const char *text, int reason)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(go_parse_duration(text, &value), reason);
    assert_int_equal(value, UNTOUCHED);
}

static void durations(void **state)
{
    (void)state;
    expect_duration("300ms", 300000000);
    expect_duration("1m30s", 90000000000);
    expect_duration("1.5s", 1500000000);
    expect_duration(".5s", 500000000);
    expect_duration("2h45m", 9900000000000);
    expect_duration("1h0.001ms", 3600000001000);
    expect_duration("7us", 7000);
    expect_duration("7\302\265s", 7000);
    expect_duration("12ns", 12);
    expect_duration("0", 0);
    expect_duration("0.0000000019s", 1);
}

static void what_is_no_duration(void **state)
{
    (void)state;
    refuse_duration("", -EINVAL);
    refuse_duration("3", -EINVAL);
    refuse_duration("s", -EINVAL);
    refuse_duration("-1s", -EINVAL);
    refuse_duration("1 s", -EINVAL);
    refuse_duration("1d", -EINVAL);
    refuse_duration("1sx", -EINVAL);
    refuse_duration("1m30", -EINVAL);
    refuse_duration("99999999999999999999s", -ERANGE);
    refuse_duration("18446744074s", -ERANGE);
}

static void expect_size(const char *text, uint64_t bytes)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(go_parse_size(text, &value), 0);
    assert_int_equal(value, bytes);
}

static void refuse_size(const char *text, int reason)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(go_parse_size(text, &value), reason);
    assert_int_equal(value, UNTOUCHED);
}

static void sizes(void **state)
{
    (void)state;
    expect_size("1KiB", 1024);
    expect_size("160KiB", 163840);
    expect_size("1k", 1000);
    expect_size("1kb", 1000);
    expect_size("1KB", 1000);
    expect_size("4k", 4000);
    expect_size("1.5MB", 1500000);
    expect_size("1.5Mi", 1572864);
    expect_size("0.5", 0);
    expect_size("17", 17);
    expect_size("17B", 17);
    expect_size("2GiB", UINT64_C(2) << 30);
    expect_size("1EiB", UINT64_C(1) << 60);
    refuse_size("", -EINVAL);
    refuse_size("k", -EINVAL);
    refuse_size("-1", -EINVAL);
    refuse_size("1Kib2", -EINVAL);
    refuse_size("1x", -EINVAL);
    refuse_size("16EiB", -ERANGE);
}

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

static void expect_bool(const char *text, _Bool value)
{
    _Bool got = !value;
    assert_int_equal(go_parse_bool(text, &got), 0);
    assert_int_equal(got, value);
}

static void yes_and_no(void **state)
{
    _Bool value = 1;
    (void)state;
    expect_bool("true", 1);
    expect_bool("T", 1);
    expect_bool("1", 1);
    expect_bool("FALSE", 0);
    expect_bool("f", 0);
    assert_int_equal(go_parse_bool("yes", &value), -EINVAL);
    assert_int_equal(go_parse_bool("", &value), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations),  cmocka_unit_test(what_is_no_duration),
        cmocka_unit_test(sizes),      cmocka_unit_test(durations_as_go_prints_them),
        cmocka_unit_test(yes_and_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
