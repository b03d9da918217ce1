// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes, counts and decimals: text that cannot be parsed leaves the value unchanged, and printed
 * values can be parsed again. */
#include <errno.h>
#include <stdbool.h>

#include "fuzz.h"
#include "util/units.h"

#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)

static bool is_promised(int status)
{
    return status == 0 || status == -EINVAL || status == -ERANGE;
}

static void sizes(const char *text)
{
    uint64_t value = UNTOUCHED;
    uint64_t again;
    char printed[UNITS_TEXT];
    int status = units_parse_size(text, 1, &value);
    MUST(is_promised(status));
    if (status != 0) {
        MUST(value == UNTOUCHED);
        return;
    }
    units_format_size(printed, value);
    MUST(units_parse_size(printed, 1, &again) == 0 && again == value);
    units_format_chunk(printed, value);
    MUST(units_parse_size(printed, 1, &again) == 0 && again == value);
    units_format_latency(printed, value);
}

static void counts(const char *text)
{
    uint64_t count = UNTOUCHED;
    int64_t number = (int64_t)UNTOUCHED;
    int status = units_parse_count(text, &count);
    int with_sign = units_parse_signed(text, &number);
    MUST(is_promised(status) && is_promised(with_sign));
    MUST(status == 0 || count == UNTOUCHED);
    MUST(with_sign == 0 || number == (int64_t)UNTOUCHED);
    MUST(status != 0 || strspn(text, "0123456789") == strlen(text));
    MUST(status != 0 || with_sign != 0 || (uint64_t)number == count);
}

static void decimals(const char *text)
{
    uint64_t billionths = UNTOUCHED;
    uint64_t whole;
    int status = units_parse_decimal(text, &billionths);
    MUST(is_promised(status));
    MUST(status == 0 || billionths == UNTOUCHED);
    if (status == 0 && units_parse_count(text, &whole) == 0)
        MUST(billionths == whole * 1000000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    sizes(text);
    counts(text);
    decimals(text);
    free(text);
    return 0;
}
