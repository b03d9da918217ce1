// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/units.h"

#define UNTOUCHED 4711

static void expect_size(const char *text, uint64_t unit, uint64_t bytes)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(units_parse_size(text, unit, &value), 0);
    assert_int_equal(value, bytes);
}

static void refuse_size(const char *text, int reason)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(units_parse_size(text, MIB, &value), reason);
    assert_int_equal(value, UNTOUCHED);
}

static void sizes_with_suffix(void **state)
{
    (void)state;
    expect_size("1k", MIB, 1024);
    expect_size("64K", MIB, 65536);
    expect_size("3m", 1, 3145728);
    expect_size("8GiB", 1, UINT64_C(8589934592));
    expect_size("8gB", 1, UINT64_C(8589934592));
    expect_size("8gib", 1, UINT64_C(8589934592));
    expect_size("2T", 1, UINT64_C(2199023255552));
    expect_size("2TB", 1, UINT64_C(2199023255552));
    expect_size("512B", MIB, 512);
    expect_size("007k", MIB, 7168);
}

static void sizes_without_suffix_count_units(void **state)
{
    (void)state;
    expect_size("100", MIB, 100 * MIB);
    expect_size("100", 1, 100);
    expect_size("0", MIB, 0);
}

static void sizes_up_to_the_last_bit(void **state)
{
    (void)state;
    expect_size("18446744073709551615", 1, UINT64_MAX);
    expect_size("16777215T", 1, UINT64_C(16777215) << 40);
    refuse_size("18446744073709551616B", -ERANGE);
    refuse_size("16777216T", -ERANGE);
    refuse_size("17592186044416", -ERANGE);
    refuse_size("99999999999999999999999999", -ERANGE);
}

static void sizes_that_are_none(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",     "k",   "iB",  "B",   "-1",   "+1", " 1",  "1 ",  "1 k",  "1q",
        "0x10", "1e3", "1kk", "1Bk", "1kBB", "x",  "1\n", "1,5", "auto", "99999999999999999999x",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refuse_size(wrong[i], -EINVAL);
}

static void counts(void **state)
{
    (void)state;
    uint64_t value = UNTOUCHED;
    assert_int_equal(units_parse_count("16", &value), 0);
    assert_int_equal(value, 16);
    assert_int_equal(units_parse_count("18446744073709551615", &value), 0);
    assert_true(value == UINT64_MAX);

    value = UNTOUCHED;
    assert_int_equal(units_parse_count("18446744073709551616", &value), -ERANGE);
    assert_int_equal(units_parse_count("18446744073709551616k", &value), -EINVAL);
    assert_int_equal(units_parse_count("1k", &value), -EINVAL);
    assert_int_equal(units_parse_count("-1", &value), -EINVAL);
    assert_int_equal(units_parse_count("", &value), -EINVAL);
    assert_int_equal(value, UNTOUCHED);
}

static void signed_numbers(void **state)
{
    (void)state;
    int64_t value = UNTOUCHED;
    assert_int_equal(units_parse_signed("-2", &value), 0);
    assert_int_equal(value, -2);
    assert_int_equal(units_parse_signed("7", &value), 0);
    assert_int_equal(value, 7);
    assert_int_equal(units_parse_signed("9223372036854775807", &value), 0);
    assert_true(value == INT64_MAX);

    value = UNTOUCHED;
    assert_int_equal(units_parse_signed("9223372036854775808", &value), -ERANGE);
    assert_int_equal(units_parse_signed("--1", &value), -EINVAL);
    assert_int_equal(units_parse_signed("-", &value), -EINVAL);
    assert_int_equal(units_parse_signed("+1", &value), -EINVAL);
    assert_int_equal(units_parse_signed("1-", &value), -EINVAL);
    assert_int_equal(value, UNTOUCHED);
}

static void expect_data_size(uint64_t bytes, const char *text)
{
    char printed[UNITS_TEXT];
    units_format_size(printed, bytes);
    assert_string_equal(printed, text);

    /* -s accepts a printed size, and it means the same size. */
    expect_size(printed, MIB, bytes);
}

static void data_sizes_as_bonnie_plus_plus_prints_them(void **state)
{
    (void)state;
    expect_data_size(64 * MIB, "64M");
    expect_data_size(8096 * MIB, "8096M");
    expect_data_size(63808 * MIB, "63808M");
    expect_data_size(1024 * MIB, "1G");
    expect_data_size(63 * 1024 * MIB, "63G");
    expect_data_size(2048 * 1024 * MIB, "2048G");
    expect_data_size(1536 * 1024, "1536k");
    expect_data_size(MIB + 1, "1048577B");
    expect_data_size(UINT64_MAX, "18446744073709551615B");
}

static void expect_chunk(uint64_t bytes, const char *text)
{
    char printed[UNITS_TEXT];
    units_format_chunk(printed, bytes);
    assert_string_equal(printed, text);
    expect_size(printed, 1, bytes);
}

static void chunks_as_bonnie_plus_plus_prints_them(void **state)
{
    (void)state;
    expect_chunk(512, "512");
    expect_chunk(65536, "64k");
    expect_chunk(1536, "1536");
    expect_chunk(MIB, "1m");
    expect_chunk(MIB + 1024, "1025k");
    expect_chunk(2048 * MIB, "2g");
}

static void expect_latency(uint64_t nanoseconds, const char *text)
{
    char printed[UNITS_TEXT];
    units_format_latency(printed, nanoseconds);
    assert_string_equal(printed, text);
}

static void latencies_have_at_most_five_digits(void **state)
{
    (void)state;
    expect_latency(4964000, "4964us");
    expect_latency(95532499, "95532us");
    expect_latency(95532500, "95533us");
    expect_latency(99999499, "99999us");
    expect_latency(99999500, "100ms");
    expect_latency(109499999, "109ms");
    expect_latency(UINT64_C(30163000000), "30163ms");
    expect_latency(UINT64_C(99999499999), "99999ms");
    expect_latency(UINT64_C(99999500000), "100s");
    expect_latency(UINT64_C(3600000000000), "3600s");
}

static void latency_is_never_zero(void **state)
{
    (void)state;
    expect_latency(0, "1us");
    expect_latency(1, "1us");
    expect_latency(1499, "1us");
    expect_latency(1500, "2us");
}

static void expect_time(uint64_t nanoseconds, const char *text)
{
    assert_string_equal(units_time(nanoseconds).text, text);
}

static void a_bound_does_not_read_like_what_it_excludes(void **state)
{
    (void)state;
    assert_string_equal(units_time_beside(9998000, 10000000).text, "9.998 ms");
    assert_string_equal(units_time_beside(10000000, 10000000).text, "10.0 ms");
    assert_string_equal(units_time_beside(999600, 1000000).text, "0.9996 ms");
    assert_string_equal(units_time_beside(10020000, 10000000).text, "10.02 ms");
    assert_string_equal(units_time_beside(12340000, 10000000).text, "12.3 ms");
    assert_string_equal(units_beside(.0312, 1, 0).text, "0.03");
    assert_string_equal(units_beside(0, 1, 0).text, "0.0");
    assert_string_equal(units_beside(99.97, 1, 100).text, "99.97");
}

static void times_have_three_digits(void **state)
{
    (void)state;
    expect_time(0, "0 ns");
    expect_time(999, "999 ns");
    expect_time(1000, "1.00 us");
    expect_time(116288, "116 us");
    expect_time(9994, "9.99 us");
    expect_time(9995, "10.0 us");
    expect_time(99949, "99.9 us");
    expect_time(99950, "100 us");
    expect_time(999499, "999 us");
    expect_time(999500, "1.00 ms");
    expect_time(1353748, "1.35 ms");
    expect_time(UINT64_C(12345678901), "12.3 s");
    expect_time(UINT64_C(3600000000000), "3600 s");
}

static void expect_speed(double kib, const char *text)
{
    char printed[UNITS_TEXT];
    units_format_speed(printed, kib);
    assert_string_equal(printed, text);
}

static void speeds_fill_five_columns(void **state)
{
    (void)state;
    expect_speed(0, "0k");
    expect_speed(4.3, "4.3k");
    expect_speed(4, "4k");
    expect_speed(1723, "1723k");
    expect_speed(9999, "9999k");
    expect_speed(10000, "9.8m");
    expect_speed(10240, "10.0m");
    expect_speed(53000, "51.8m");
    expect_speed(102348, "99.9m");
    expect_speed(102349, "100m");
    expect_speed(376832, "368m");
    expect_speed(1048063, "1023m");
    expect_speed(1048064, "1.0g");
    expect_speed(2306867, "2.2g");
    expect_speed(104805171, "99.9g");
    expect_speed(104805172, "100g");
    expect_speed(1e4 * 1024 * 1024, "10000g");
}

static void expect_short(double number, const char *count, const char *speed)
{
    char printed[UNITS_TEXT];
    units_format_short_count(printed, number);
    assert_string_equal(printed, count);
    units_format_short_speed(printed, number);
    assert_string_equal(printed, speed);
}

static void what_is_too_wide_is_shortened_to_four_columns(void **state)
{
    (void)state;
    expect_short(1723, "1.7k", "1.7m");
    expect_short(9949, "9.9k", "9.7m");
    expect_short(9950, "10k", "9.7m");
    expect_short(31209, "31k", "30m");
    expect_short(155432, "155k", "152m");
    expect_short(999499, "999k", "976m");
    expect_short(999500, "1.0m", "976m");
    expect_short(1234567, "1.2m", "1.2g");
    expect_short(123456789, "123m", "118g");
    expect_short(1e4 * 1024 * 1024, "10486m", "9.8t");
}

static void fractions(void **state)
{
    (void)state;
    expect_size("7951.52", MIB, UINT64_C(8337773035));
    expect_size("1.5g", MIB, 1536 * MIB);
    expect_size(".5", MIB, 512 * KIB);
    expect_size("1.", MIB, MIB);
    expect_size("1.0", MIB, MIB);
    refuse_size("1.5.5", -EINVAL);
    refuse_size("1.5q", -EINVAL);
    refuse_size("-1.5", -EINVAL);
    refuse_size("1,5", -EINVAL);
    refuse_size(".", -EINVAL);
    refuse_size("16777216.5t", -ERANGE);
}

static void sizes_as_go_has_them(void **state)
{
    (void)state;
    expect_size("1KiB", UNITS_AS_GO, 1024);
    expect_size("1k", UNITS_AS_GO, 1000);
    expect_size("1kb", UNITS_AS_GO, 1000);
    expect_size("1.5MB", UNITS_AS_GO, 1500000);
    expect_size("1.5Mi", UNITS_AS_GO, 1572864);
    expect_size("0.5", UNITS_AS_GO, 0);
    expect_size("17B", UNITS_AS_GO, 17);
    expect_size("1EiB", UNITS_AS_GO, UINT64_C(1) << 60);
    refuse_size("k", -EINVAL);
    refuse_size("1Kib2", -EINVAL);
    refuse_size("16EiB", -ERANGE);
}

static void expect_duration(const char *text, uint64_t nanoseconds)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(units_parse_duration(text, 0, &value), 0);
    assert_int_equal(value, nanoseconds);
}

static void refuse_duration(const char *text, int reason)
{
    uint64_t value = UNTOUCHED;
    assert_int_equal(units_parse_duration(text, 0, &value), reason);
    assert_int_equal(value, UNTOUCHED);
}

static void durations(void **state)
{
    uint64_t value = 0;
    (void)state;
    expect_duration("300ms", 300 * MILLION);
    expect_duration("1m30s", 90 * BILLION);
    expect_duration("1.5s", 1500 * MILLION);
    expect_duration(".5s", 500 * MILLION);
    expect_duration("2h45m", 9900 * BILLION);
    expect_duration("1d", 86400 * BILLION);
    expect_duration("1h0.001ms", UINT64_C(3600000001000));
    expect_duration("7us", 7000);
    expect_duration("7\302\265s", 7000);
    expect_duration("12ns", 12);
    expect_duration("0", 0);
    expect_duration("0.0000000019s", 1);
    assert_int_equal(units_parse_duration("1.5", BILLION, &value), 0);
    assert_int_equal(value, 1500 * MILLION);
    refuse_duration("", -EINVAL);
    refuse_duration("3", -EINVAL);
    refuse_duration("s", -EINVAL);
    refuse_duration("-1s", -EINVAL);
    refuse_duration("1 s", -EINVAL);
    refuse_duration("1sx", -EINVAL);
    refuse_duration("1m30", -EINVAL);
    refuse_duration("99999999999999999999s", -ERANGE);
    refuse_duration("18446744074s", -ERANGE);
}

static void expect_go(uint64_t nanoseconds, const char *text)
{
    assert_string_equal(units_go_duration(nanoseconds).text, text);
}

static void durations_as_go_prints_them(void **state)
{
    (void)state;
    expect_go(0, "0s");
    expect_go(999, "999ns");
    expect_go(1000, "1\302\265s");
    expect_go(999999, "999.999\302\265s");
    expect_go(537250, "537.25\302\265s");
    expect_go(1353748, "1.353748ms");
    expect_go(80120, "80.12\302\265s");
    expect_go(1000000, "1ms");
    expect_go(999999999, "999.999999ms");
    expect_go(1000000000, "1s");
    expect_go(90000000000, "1m30s");
    expect_go(3600000000000, "1h0m0s");
    expect_go(3661500000000, "1h1m1.5s");
    expect_go(UINT64_MAX, "5124095h34m33.709551615s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_does_not_read_like_what_it_excludes),
        cmocka_unit_test(fractions),
        cmocka_unit_test(sizes_as_go_has_them),
        cmocka_unit_test(durations),
        cmocka_unit_test(durations_as_go_prints_them),
        cmocka_unit_test(sizes_with_suffix),
        cmocka_unit_test(sizes_without_suffix_count_units),
        cmocka_unit_test(sizes_up_to_the_last_bit),
        cmocka_unit_test(sizes_that_are_none),
        cmocka_unit_test(counts),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(data_sizes_as_bonnie_plus_plus_prints_them),
        cmocka_unit_test(chunks_as_bonnie_plus_plus_prints_them),
        cmocka_unit_test(latencies_have_at_most_five_digits),
        cmocka_unit_test(latency_is_never_zero),
        cmocka_unit_test(times_have_three_digits),
        cmocka_unit_test(speeds_fill_five_columns),
        cmocka_unit_test(what_is_too_wide_is_shortened_to_four_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
