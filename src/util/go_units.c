// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/go_units.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/units.h"

#define MINUTE_NS (60 * BILLION)
#define HOUR_NS   (60 * MINUTE_NS)

/* More digits of a fraction change nothing, because no unit has as many nanoseconds or bytes. */
#define MOST_FRACTION UINT64_C(1000000000000000000)

__extension__ typedef unsigned __int128 uint128;

struct unit {
    const char *name;
    uint64_t worth;
};

static const struct unit durations[] = {
    {"ns", 1},       {"us", 1000},     {"\302\265s", 1000}, {"\316\274s", 1000},
    {"ms", MILLION}, {"m", MINUTE_NS}, {"s", BILLION},      {"h", HOUR_NS},
};

/* A number as it was written: whole + fraction / scale. */
struct number {
    uint64_t whole;
    uint64_t fraction;
    uint64_t scale;
};

/* Reads a number with digits before the point, after it, or both. */
static int read_number(const char **text, struct number *n)
{
    int digits = 0;
    *n = (struct number){.scale = 1};
    for (; is_digit(**text); (*text)++, digits++)
        if (__builtin_mul_overflow(n->whole, 10, &n->whole) ||
            __builtin_add_overflow(n->whole, (uint64_t)(**text - '0'), &n->whole))
            return -ERANGE;
    if (**text == '.')
        for ((*text)++; is_digit(**text); (*text)++, digits++)
            if (n->scale < MOST_FRACTION) {
                n->fraction = n->fraction * 10 + (uint64_t)(**text - '0');
                n->scale *= 10;
            }
    return digits > 0 ? 0 : -EINVAL;
}

/* Adds the number, multiplied by `worth`, to *sum. */
static int add_worth(uint64_t *sum, const struct number *n, uint64_t worth)
{
    uint128 product = (uint128)n->whole * worth + (uint128)n->fraction * worth / n->scale;
    if (product > UINT64_MAX || __builtin_add_overflow(*sum, (uint64_t)product, sum))
        return -ERANGE;
    return 0;
}

/* Reads the unit at *text. *worth becomes its length in nanoseconds. */
static int read_duration_unit(const char **text, uint64_t *worth)
{
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        size_t length = strlen(durations[i].name);
        if (strncmp(*text, durations[i].name, length) != 0)
            continue;
        *text += length;
        *worth = durations[i].worth;
        return 0;
    }
    return -EINVAL;
}

int go_parse_duration(const char *text, uint64_t *nanoseconds)
{
    uint64_t sum = 0;
    if (strcmp(text, "0") == 0) {
        *nanoseconds = 0;
        return 0;
    }
    do {
        struct number n;
        uint64_t worth = 0;
        int rc = read_number(&text, &n);
        if (rc == 0)
            rc = read_duration_unit(&text, &worth);
        if (rc == 0)
            rc = add_worth(&sum, &n, worth);
        if (rc != 0)
            return rc;
    } while (*text != '\0');
    *nanoseconds = sum;
    return 0;
}

static int read_size_unit(const char *text, uint64_t *worth)
{
    static const char letters[] = "kmgtpe";
    const char *letter = *text ? strchr(letters, *text | 0x20) : NULL;
    *worth = 1;
    if (!letter)
        return *text == '\0' || strcasecmp(text, "b") == 0 ? 0 : -EINVAL;
    text++;
    uint64_t base = 1000;
    if (*text == 'i' || *text == 'I') {
        base = 1024;
        text++;
    }
    if (*text != '\0' && strcasecmp(text, "b") != 0)
        return -EINVAL;
    for (const char *power = letters; power <= letter; power++)
        *worth *= base;
    return 0;
}

int go_parse_size(const char *text, uint64_t *bytes)
{
    struct number n;
    uint64_t worth;
    uint64_t sum = 0;
    int rc = read_number(&text, &n);
    if (rc == 0)
        rc = read_size_unit(text, &worth);
    if (rc == 0)
        rc = add_worth(&sum, &n, worth);
    if (rc == 0)
        *bytes = sum;
    return rc;
}

int go_parse_bool(const char *text, bool *value)
{
    static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
    static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        bool is_yes = strcmp(text, yes[i]) == 0;
        if (!is_yes && strcmp(text, no[i]) != 0)
            continue;
        *value = is_yes;
        return 0;
    }
    return -EINVAL;
}

/* Prints number / scale, a power of ten, without the zeros at the end of the fraction. */
static void format_decimal(char text[static GO_UNITS_TEXT], uint64_t number, uint64_t scale,
                           const char *unit)
{
    char digits[GO_UNITS_TEXT];
    size_t length = 0;
    for (uint64_t fraction = number % scale; fraction > 0; fraction = fraction * 10 % scale)
        digits[length++] = (char)('0' + fraction * 10 / scale);
    digits[length] = '\0';
    snprintf(text, GO_UNITS_TEXT, "%" PRIu64 "%s%.10s%s", number / scale, length > 0 ? "." : "",
             digits, unit);
}

struct go_text go_duration(uint64_t nanoseconds)
{
    uint64_t ns = nanoseconds;
    char seconds[GO_UNITS_TEXT];
    struct go_text duration = {.text = ""};
    char *text = duration.text;
    if (ns == 0)
        snprintf(text, GO_UNITS_TEXT, "0s");
    else if (ns < 1000)
        snprintf(text, GO_UNITS_TEXT, "%" PRIu64 "ns", ns);
    else if (ns < MILLION)
        format_decimal(text, ns, 1000, "\302\265s");
    else if (ns < BILLION)
        format_decimal(text, ns, MILLION, "ms");
    else {
        format_decimal(seconds, ns % MINUTE_NS, BILLION, "s");
        if (ns >= HOUR_NS)
            snprintf(text, GO_UNITS_TEXT, "%" PRIu64 "h%" PRIu64 "m%.20s", ns / HOUR_NS,
                     ns % HOUR_NS / MINUTE_NS, seconds);
        else if (ns >= MINUTE_NS)
            snprintf(text, GO_UNITS_TEXT, "%" PRIu64 "m%.20s", ns / MINUTE_NS, seconds);
        else
            memcpy(text, seconds, sizeof seconds);
    }
    return duration;
}
