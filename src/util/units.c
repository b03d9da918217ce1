// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* From this number on, a latency is in the next unit, as in Bonnie++: 99999us, then 100ms. */
#define LATENCY_LIMIT 100000

struct unit {
    const char *suffix;
    uint64_t bytes;
};

static const struct unit suffixes[] = {
    {"k", KIB},  {"kB", KIB},  {"kiB", KIB}, {"m", MIB},  {"mB", MIB},  {"miB", MIB}, {"g", GIB},
    {"gB", GIB}, {"giB", GIB}, {"t", TIB},   {"tB", TIB}, {"tiB", TIB}, {"B", 1},
};

/*
 * Reads the digits at *text, and moves *text past them. Returns 0, -EINVAL when there is no digit,
 * or -ERANGE when the number is too large; even then *text moves, so that the caller sees what
 * follows.
 */
static int read_digits(const char **text, uint64_t *value)
{
    if (!is_digit(**text))
        return -EINVAL;
    bool fits = true;
    *value = 0;
    for (; is_digit(**text); (*text)++) {
        fits = fits && !__builtin_mul_overflow(*value, 10, value);
        fits = fits && !__builtin_add_overflow(*value, (uint64_t)(**text - '0'), value);
    }
    return fits ? 0 : -ERANGE;
}

/* Number of bytes that the suffix means (no suffix means `without`); 0: there is no such suffix. */
static uint64_t suffix_bytes(const char *suffix, uint64_t without)
{
    if (*suffix == '\0')
        return without;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcasecmp(suffix, suffixes[i].suffix) == 0)
            return suffixes[i].bytes;
    }
    return 0;
}

/*
 * Reads a number with or without a fraction, which has at least one digit and is stored in
 * billionths. Moves *text as read_digits() does.
 */
static int read_decimal(const char **text, uint64_t *whole, uint64_t *fraction)
{
    int status = read_digits(text, whole);
    *fraction = 0;
    if (status == -EINVAL || **text != '.')
        return status;
    (*text)++;
    if (!is_digit(**text))
        return -EINVAL;
    for (uint64_t worth = BILLION / 10; is_digit(**text); (*text)++, worth /= 10)
        *fraction += (uint64_t)(**text - '0') * worth;
    return status;
}

uint64_t units_round_down(uint64_t bytes)
{
    return bytes >= MIB ? bytes / MIB * MIB : bytes / KIB * KIB;
}

int units_parse_rounded_size(const char *text, uint64_t unit, uint64_t *value)
{
    uint64_t whole;
    uint64_t fraction;
    int status = read_decimal(&text, &whole, &fraction);
    uint64_t bytes = suffix_bytes(text, unit);
    if (status == -EINVAL || bytes == 0)
        return -EINVAL;
    if (status != 0 || __builtin_mul_overflow(whole, bytes, &whole) ||
        __builtin_add_overflow(whole, mul_div(fraction, bytes, BILLION), &whole))
        return -ERANGE;
    *value = fraction > 0 ? units_round_down(whole) : whole;
    return 0;
}

int units_parse_size(const char *text, uint64_t unit, uint64_t *value)
{
    return strchr(text, '.') ? -EINVAL : units_parse_rounded_size(text, unit, value);
}

int units_parse_decimal(const char *text, uint64_t *billionths)
{
    uint64_t whole;
    uint64_t fraction;
    int status = read_decimal(&text, &whole, &fraction);
    if (status == -EINVAL || *text != '\0')
        return -EINVAL;
    if (status != 0 || __builtin_mul_overflow(whole, BILLION, &whole) ||
        __builtin_add_overflow(whole, fraction, &whole))
        return -ERANGE;
    *billionths = whole;
    return 0;
}

int units_parse_count(const char *text, uint64_t *value)
{
    uint64_t number;
    int status = read_digits(&text, &number);
    if (*text != '\0')
        return -EINVAL;
    if (status == 0)
        *value = number;
    return status;
}

int units_parse_signed(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    uint64_t number;
    int status = units_parse_count(text + negative, &number);
    if (status != 0)
        return status;
    if (number > (uint64_t)INT64_MAX)
        return -ERANGE;
    *value = negative ? -(int64_t)number : (int64_t)number;
    return 0;
}

/* Prints bytes in the first unit of the list that divides them. The last unit must be 1. */
static void format_exactly(char text[static UNITS_TEXT], uint64_t bytes, const struct unit *unit)
{
    while (bytes % unit->bytes != 0)
        unit++;
    snprintf(text, UNITS_TEXT, "%" PRIu64 "%s", bytes / unit->bytes, unit->suffix);
}

void units_format_size(char text[static UNITS_TEXT], uint64_t bytes)
{
    static const struct unit units[] = {{"G", GIB}, {"M", MIB}, {"k", KIB}, {"B", 1}};
    format_exactly(text, bytes, units);
}

void units_format_chunk(char text[static UNITS_TEXT], uint64_t bytes)
{
    static const struct unit units[] = {{"g", GIB}, {"m", MIB}, {"k", KIB}, {"", 1}};
    format_exactly(text, bytes, units);
}

void units_format_readable(char text[static UNITS_TEXT], uint64_t bytes)
{
    static const struct unit units[] = {{"TiB", TIB}, {"GiB", GIB}, {"MiB", MIB}, {"KiB", KIB}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double number = (double)bytes / (double)units[i].bytes;
        if (number < 1)
            continue;
        snprintf(text, UNITS_TEXT, "%.*f %s", number < 99.95 ? 1 : 0, number, units[i].suffix);
        return;
    }
    snprintf(text, UNITS_TEXT, "%" PRIu64 " bytes", bytes);
}

static uint64_t divide_rounded(uint64_t number, uint64_t divisor)
{
    return number / divisor + (number % divisor >= divisor / 2);
}

void units_format_latency(char text[static UNITS_TEXT], uint64_t nanoseconds)
{
    uint64_t us = divide_rounded(nanoseconds, 1000);
    uint64_t ms = divide_rounded(nanoseconds, 1000000);
    uint64_t s = divide_rounded(nanoseconds, 1000000000);
    if (us < LATENCY_LIMIT)
        snprintf(text, UNITS_TEXT, "%" PRIu64 "us", us > 0 ? us : 1);
    else if (ms < LATENCY_LIMIT)
        snprintf(text, UNITS_TEXT, "%" PRIu64 "ms", ms);
    else
        snprintf(text, UNITS_TEXT, "%" PRIu64 "s", s);
}

struct units_text units_beside(double number, int decimals, double excluded)
{
    struct units_text bound;
    struct units_text other;
    do {
        snprintf(bound.text, sizeof bound.text, "%.*f", decimals, number);
        snprintf(other.text, sizeof other.text, "%.*f", decimals, excluded);
    } while (strcmp(bound.text, other.text) == 0 && number != excluded && decimals++ < 9);
    return bound;
}

struct units_text units_time_beside(uint64_t nanoseconds, uint64_t excluded)
{
    static const char *const names[] = {" ns", " us", " ms", " s"};
    double number = (double)nanoseconds;
    double scale = 1;
    size_t unit = 0;
    for (; number / scale >= 999.5 && unit + 1 < sizeof names / sizeof *names; unit++)
        scale *= 1000;
    number /= scale;
    int digits = unit == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    struct units_text time = units_beside(number, digits, (double)excluded / scale);
    strncat(time.text, names[unit], sizeof time.text - strlen(time.text) - 1);
    return time;
}

struct units_text units_time(uint64_t nanoseconds)
{
    return units_time_beside(nanoseconds, nanoseconds);
}

/* Prints one decimal less if the rounded text would otherwise be a column wider. */
static void format_short(char text[static UNITS_TEXT], double number, char unit)
{
    snprintf(text, UNITS_TEXT, "%.*f%c", number < 9.95 ? 1 : 0, number, unit);
}

void units_format_short_count(char text[static UNITS_TEXT], double number)
{
    bool is_large = number >= 999.5e3;
    format_short(text, number / (is_large ? 1e6 : 1e3), is_large ? 'm' : 'k');
}

void units_format_short_speed(char text[static UNITS_TEXT], double kib_per_second)
{
    static const char letters[] = "kmgt";
    double number = kib_per_second;
    size_t unit = 0;
    for (; number >= 999.5 && unit + 1 < strlen(letters); unit++)
        number /= 1024;
    format_short(text, number, letters[unit]);
}

/* Each limit is the number from which the rounded text would be a column wider. */
void units_format_speed(char text[static UNITS_TEXT], double kib_per_second)
{
    double kib = kib_per_second;
    double mib = kib / 1024;
    double gib = mib / 1024;
    if (kib < 10 && kib != (double)(int)kib)
        snprintf(text, UNITS_TEXT, "%.1fk", kib);
    else if (kib < 9999.5)
        snprintf(text, UNITS_TEXT, "%.0fk", kib);
    else if (mib < 99.95)
        snprintf(text, UNITS_TEXT, "%.1fm", mib);
    else if (mib < 1023.5)
        snprintf(text, UNITS_TEXT, "%.0fm", mib);
    else
        snprintf(text, UNITS_TEXT, gib < 99.95 ? "%.1fg" : "%.0fg", gib);
}
