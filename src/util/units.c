// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/units.h"

#include <strings.h>

/* From this number on, a latency is in the next unit, as in Bonnie++: 99999us, then 100ms. */
#define LATENCY_LIMIT 100000

struct unit {
    const char *suffix;
    uint64_t worth;
};

/* Reads the digits at *text, and moves *text past them. Returns whether the number fits. */
static bool read_digits(const char **text, uint64_t *value)
{
    bool fits = true;
    *value = 0;
    for (; is_digit(**text); (*text)++) {
        fits = fits && !__builtin_mul_overflow(*value, 10, value);
        fits = fits && !__builtin_add_overflow(*value, (uint64_t)(**text - '0'), value);
    }
    return fits;
}

/* A number as it was written: whole + fraction / scale. */
struct number {
    uint64_t whole;
    uint64_t fraction;
    uint64_t scale;
    bool fits;
};

/* More digits of a fraction change nothing, because no unit has as many nanoseconds or bytes. */
#define MAX_FRACTION UINT64_C(1000000000000000000)

/* Reads a number, and moves *text past it. Returns false when there is none. */
static bool read_number(const char **text, struct number *n)
{
    bool has_digits = is_digit(**text);
    n->fits = read_digits(text, &n->whole);
    n->fraction = 0;
    n->scale = 1;
    if (**text != '.')
        return has_digits;
    for ((*text)++; is_digit(**text); (*text)++) {
        has_digits = true;
        if (n->scale == MAX_FRACTION)
            continue;
        n->fraction = n->fraction * 10 + (uint64_t)(**text - '0');
        n->scale *= 10;
    }
    return has_digits;
}

/* Sets *value to the sum and so many units of that worth, unless there is no room. */
static int add_worth(uint64_t sum, const struct number *n, uint64_t worth, uint64_t *value)
{
    uint128 product = (uint128)n->whole * worth + (uint128)n->fraction * worth / n->scale;
    if (!n->fits || product + sum > UINT64_MAX)
        return -ERANGE;
    *value = sum + (uint64_t)product;
    return 0;
}

uint64_t units_round_down(uint64_t bytes)
{
    return bytes >= MIB ? bytes / MIB * MIB : bytes / KIB * KIB;
}

int units_parse_size(const char *text, uint64_t unit, uint64_t *value)
{
    static const char letters[] = "kmgtpe";
    struct number n;
    uint64_t bytes = 1; /* what the suffix means */
    if (!read_number(&text, &n))
        return -EINVAL;
    const char *letter = *text ? strchr(letters, *text | 0x20) : NULL;
    if (letter) {
        text++;
        bool has_i = (*text | 0x20) == 'i';
        text += has_i;
        for (const char *power = letters; power <= letter; power++)
            bytes *= unit == UNITS_AS_GO && !has_i ? 1000 : 1024;
    } else if (*text == '\0' && unit != UNITS_AS_GO) {
        bytes = unit;
    }
    if (*text != '\0' && strcasecmp(text, "b") != 0)
        return -EINVAL;
    return add_worth(0, &n, bytes, value);
}

int units_parse_duration(const char *text, uint64_t unit, uint64_t *nanoseconds)
{
    static const struct unit units[] = {
        {"ns", 1},           {"us", 1000},          {"\302\265s", 1000},
        {"\316\274s", 1000}, {"ms", MILLION},       {"s", BILLION},
        {"m", 60 * BILLION}, {"h", 3600 * BILLION}, {"d", 86400 * BILLION},
    };
    struct number n;
    uint64_t sum = 0;
    bool is_first = true;
    int status = 0;
    do {
        if (!read_number(&text, &n))
            return -EINVAL;
        bool is_bare = is_first && *text == '\0';
        bool is_zero = is_bare && n.whole == 0 && n.fraction == 0;
        uint64_t worth = is_bare ? unit : 0;
        for (size_t i = 0; !is_bare && worth == 0 && i < COUNT_OF(units); i++) {
            size_t length = strlen(units[i].suffix);
            if (strncmp(text, units[i].suffix, length) == 0) {
                text += length;
                worth = units[i].worth;
            }
        }
        if (worth == 0 && !is_zero)
            return -EINVAL;
        if (status == 0)
            status = add_worth(sum, &n, worth, &sum);
        is_first = false;
    } while (*text != '\0');
    if (status == 0)
        *nanoseconds = sum;
    return status;
}

int units_parse_decimal(const char *text, uint64_t *billionths)
{
    struct number n;
    if (!read_number(&text, &n) || *text != '\0')
        return -EINVAL;
    return add_worth(0, &n, BILLION, billionths);
}

int units_parse_count(const char *text, uint64_t *value)
{
    uint64_t number;
    bool has_digits = is_digit(*text);
    bool fits = read_digits(&text, &number);
    if (!has_digits || *text != '\0')
        return -EINVAL;
    if (!fits)
        return -ERANGE;
    *value = number;
    return 0;
}

int units_parse_signed(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    uint64_t number;
    int status = units_parse_count(text + negative, &number);
    if (status == 0 && number > (uint64_t)INT64_MAX)
        status = -ERANGE;
    if (status == 0)
        *value = negative ? -(int64_t)number : (int64_t)number;
    return status;
}

struct units_text units_exactly(uint64_t bytes, const char *const units[])
{
    struct units_text text;
    for (; bytes % KIB == 0 && units[1]; units++)
        bytes /= KIB;
    snprintf(text.text, sizeof text.text, "%" PRIu64 "%s", bytes, *units);
    return text;
}

void units_format_size(char text[static UNITS_TEXT], uint64_t bytes)
{
    static const char *const units[] = {"B", "k", "M", "G", NULL};
    strcpy(text, units_exactly(bytes, units).text);
}

void units_format_chunk(char text[static UNITS_TEXT], uint64_t bytes)
{
    static const char *const units[] = {"", "k", "m", "g", NULL};
    strcpy(text, units_exactly(bytes, units).text);
}

void units_format_latency(char text[static UNITS_TEXT], uint64_t nanoseconds)
{
    static const struct unit units[] = {{"us", 1000}, {"ms", MILLION}, {"s", BILLION}};
    const struct unit *unit = units;
    uint64_t number;
    for (;; unit++) { /* rounds half up */
        number = nanoseconds / unit->worth + (nanoseconds % unit->worth >= unit->worth / 2);
        if (number < LATENCY_LIMIT || unit == &units[2])
            break;
    }
    snprintf(text, UNITS_TEXT, "%" PRIu64 "%s", number > 0 ? number : 1, unit->suffix);
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

enum { UNITS_TIME = UNITS_COUNT + 1 };

/* Prints the number with three digits, or as many more as it takes to differ from `excluded`. */
static struct units_text scaled_beside(double number, double excluded, unsigned what)
{
    static const char *const units[][6] = {
        [UNITS_BYTES] = {" B", " KiB", " MiB", " GiB", " TiB"},
        [UNITS_COUNT] = {"", " k", " M", " G"},
        [UNITS_TIME] = {" ns", " us", " ms", " s"},
    };
    const char *const *unit = units[what];
    double scale = 1;
    for (; number / scale >= 999.5 && unit[1]; unit++)
        scale *= what == UNITS_BYTES ? 1024 : 1000;
    number /= scale;
    bool is_whole = number >= 99.95 || number <= 0 || (what != UNITS_COUNT && unit == units[what]);
    struct units_text text = units_beside(number,
                                          is_whole          ? 0
                                          : number >= 9.995 ? 1
                                                            : 2,
                                          excluded / scale);
    strncat(text.text, *unit, sizeof text.text - strlen(text.text) - 1);
    return text;
}

struct units_text units_time_beside(uint64_t nanoseconds, uint64_t excluded)
{
    return scaled_beside((double)nanoseconds, (double)excluded, UNITS_TIME);
}

struct units_text units_time(uint64_t nanoseconds)
{
    return units_time_beside(nanoseconds, nanoseconds);
}

struct units_text units_scaled(double number, enum units_of what)
{
    return scaled_beside(number, number, what);
}

struct units_text units_bytes(uint64_t bytes)
{
    return units_scaled((double)bytes, UNITS_BYTES);
}

struct units_text units_known_time(uint64_t nanoseconds)
{
    return nanoseconds > 0 ? units_time(nanoseconds) : (struct units_text){"-"};
}

/* Prints number / scale, a power of ten, without the zeros at the end of the fraction. */
static struct units_text go_decimal(uint64_t number, uint64_t scale, const char *unit)
{
    struct units_text text;
    int length = snprintf(text.text, sizeof text.text, "%" PRIu64, number / scale);
    const char *point = ".";
    for (uint64_t fraction = number % scale; fraction > 0; fraction = fraction * 10 % scale) {
        length += snprintf(text.text + length, sizeof text.text - (size_t)length, "%s%d", point,
                           (int)(fraction * 10 / scale));
        point = "";
    }
    snprintf(text.text + length, sizeof text.text - (size_t)length, "%s", unit);
    return text;
}

struct units_text units_go_duration(uint64_t nanoseconds)
{
    const uint64_t minute_ns = 60 * BILLION, hour_ns = 60 * minute_ns;
    struct units_text text = {.text = "0s"};
    if (nanoseconds > 0 && nanoseconds < 1000)
        return go_decimal(nanoseconds, 1, "ns");
    if (nanoseconds > 0 && nanoseconds < MILLION)
        return go_decimal(nanoseconds, 1000, "\302\265s");
    if (nanoseconds > 0 && nanoseconds < BILLION)
        return go_decimal(nanoseconds, MILLION, "ms");
    const struct units_text seconds = go_decimal(nanoseconds % minute_ns, BILLION, "s");
    if (nanoseconds >= hour_ns)
        snprintf(text.text, sizeof text.text, "%" PRIu64 "h%" PRIu64 "m%.14s",
                 nanoseconds / hour_ns, nanoseconds % hour_ns / minute_ns, seconds.text);
    else if (nanoseconds >= minute_ns)
        snprintf(text.text, sizeof text.text, "%" PRIu64 "m%.14s", nanoseconds / minute_ns,
                 seconds.text);
    else
        text = seconds;
    return text;
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
