// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* Returns a * b / c, rounded down. a * b may need 128 bits, but the quotient must fit into 64. */
static inline uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((uint128)a * b / c);
}

/* The same, rounded up. */
static inline uint64_t mul_div_up(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)(((uint128)a * b + c - 1) / c);
}

#define MILLION UINT64_C(1000000)
#define BILLION UINT64_C(1000000000)
#define KIB     UINT64_C(1024)
#define MIB     (UINT64_C(1) << 20)
#define GIB     (UINT64_C(1) << 30)
#define TIB     (UINT64_C(1) << 40)

/* Numbers as users write them and as reports print them.
 *
 * Nothing is guessed: no sign unless the function names one, no blanks, no hexadecimal, no
 * exponent, nothing after it. A number with a fraction has digits before the point, after it, or
 * both. Every parser returns 0 and sets *value, or -EINVAL (no such number), -ERANGE (no room). */

/* Room for any text of the formatters below, with its NUL. One that comes by value can be an
 * argument of printf(): units_time(ns).text. */
#define UNITS_TEXT 32
struct units_text {
    char text[UNITS_TEXT];
};

/* Parses a size into bytes: a number, which may have a fraction, with a suffix k, m, g, t, p or e
 * (powers of 1024), which B or iB may follow, or B alone, in upper or lower case. A bare number is
 * in units of `unit` bytes. With UNITS_AS_GO it is in bytes, and letters without an i are powers of
 * 1000. Drops a fraction of a byte. */
#define UNITS_AS_GO 0

int units_parse_size(const char *text, uint64_t unit, uint64_t *value);

/* Parses a duration into nanoseconds: numbers, which may have a fraction, each with a unit ns, us
 * (or µs), ms, s, m, h or d ("1m30s", "1.5s"); or one number alone, in `unit` nanoseconds. If that
 * is 0, only 0 needs no unit. */
int units_parse_duration(const char *text, uint64_t unit, uint64_t *value);

/* Rounds down to whole MiB; below one MiB, to whole KiB. */
uint64_t units_round_down(uint64_t bytes);

/* Whether it is one of the ten ASCII digits, whatever the locale. */
static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parse a whole number, of digits only; one with or without a minus sign; and a number, which may
 * have a fraction, into billionths. */
int units_parse_count(const char *text, uint64_t *value);
int units_parse_signed(const char *text, int64_t *value);
int units_parse_decimal(const char *text, uint64_t *billionths);

/* Formats a size exactly, in the largest of the units that divides it. They end with NULL; the
 * first is a byte, and each other one 1024 of that before. */
struct units_text units_exactly(uint64_t bytes, const char *const units[]);

/* Does so for the data and for a chunk as Bonnie++ does: "63808M", "16G", or with a B, because
 * readers take a bare number for MiB; "1m", "64k", "512". */
void units_format_size(char text[static UNITS_TEXT], uint64_t bytes);
void units_format_chunk(char text[static UNITS_TEXT], uint64_t bytes);

/* Formats a latency as a whole number of us, ms or s, in the smallest of these that needs at most
 * five digits ("99999us", "100ms"). Never "0us", because what was measured took some time. */
void units_format_latency(char text[static UNITS_TEXT], uint64_t nanoseconds);

/* Format a time for people, with three digits: "940 ns", "116 us", "1.35 ms", "12.3 s"; from 1000 s
 * on with more. 0 is "0 ns" or, where it stands for what is not known, "-". */
struct units_text units_time(uint64_t nanoseconds);
struct units_text units_known_time(uint64_t nanoseconds);

/* Formats a duration as Go does, in the largest unit below it: "537.25µs", "1m30s", "0s". */
struct units_text units_go_duration(uint64_t nanoseconds);

/* Format a bound beside a value that it excludes, such as a limit: units_time() or the number, with
 * as many more decimals as it takes to differ from `excluded`, unless they are equal. */
struct units_text units_time_beside(uint64_t nanoseconds, uint64_t excluded);
struct units_text units_beside(double number, int decimals, double excluded);

/* Formats a number for people, with three digits, in the last unit that leaves any: "1.58 GiB" of
 * UNITS_BYTES, "84.6 k" of UNITS_COUNT; below 1000 without a unit (" B" of bytes). */
enum units_of { UNITS_BYTES, UNITS_COUNT };
struct units_text units_scaled(double number, enum units_of what);
struct units_text units_bytes(uint64_t bytes);

/* Format a number in thousands or millions for a column four wide: "8.2k", "155k", "1.2m"; a rate
 * in KiB/s for one five wide: "1723k", "51.8m", "2.2g"; one four wide: "1.7m", "52m", "9.8t". */
void units_format_short_count(char text[static UNITS_TEXT], double number);
void units_format_speed(char text[static UNITS_TEXT], double kib_per_second);
void units_format_short_speed(char text[static UNITS_TEXT], double kib_per_second);

/* Rounds `value` up to a multiple of `unit`, which must not be 0. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}
