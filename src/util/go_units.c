// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/go_units.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

#define MINUTE_NS (60 * BILLION)
#define HOUR_NS   (60 * MINUTE_NS)

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
