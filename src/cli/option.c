// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/err.h"
#include "util/go_units.h"
#include "util/units.h"

/*
 * Splits a comma-separated list, and calls `take` with a copy of each word, which `take` may
 * change. Ends when `take` refuses a word, or when a word has VALUE_WORD characters or more.
 */
#define VALUE_WORD 32

/* About eleven and a half days; more can only be a mistake. */
#define MOST_SECONDS 1000000

int value_count(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e)
{
    uint64_t number;
    if (units_parse_count(value, &number) != 0 || number < min || number > max)
        return err_say(e, "%s", accepted);
    *out = (struct given){.given = true, .value = number};
    return 0;
}

/* Stores a size, at most `max`, for which a parser returned `status`. */
static int take_size(struct given *out, int status, uint64_t bytes, uint64_t max,
                     const char *accepted, struct err *e)
{
    if (status != 0 || bytes > max)
        return err_say(e, "%s", accepted);
    *out = (struct given){.given = true, .value = bytes};
    return 0;
}

int value_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
               const char *accepted, struct err *e)
{
    uint64_t bytes = 0;
    int status = units_parse_size(value, unit, &bytes);
    return take_size(out, status, bytes, max, accepted, e);
}

/*
 * Does the same, but also accepts a fraction, and rounds the size down
 * (units_parse_rounded_size()).
 */
static int value_rounded_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
                              const char *accepted, struct err *e)
{
    uint64_t bytes = 0;
    int status = units_parse_rounded_size(value, unit, &bytes);
    return take_size(out, status, bytes, max, accepted, e);
}

/*
 * Parses seconds from `min` nanoseconds up to 1000000 s, with or without a fraction. Stores them in
 * nanoseconds.
 */
static int value_seconds(struct given *out, const char *value, uint64_t min, struct err *e)
{
    uint64_t nanoseconds;
    if (units_parse_decimal(value, &nanoseconds) != 0 || nanoseconds < min ||
        nanoseconds > MOST_SECONDS * BILLION)
        return err_say(e, "a number of seconds%s up to 1000000; fractions are allowed",
                       min > 0 ? " above 0 and" : "");
    *out = (struct given){.given = true, .value = nanoseconds};
    return 0;
}

int value_boolean(bool *out, const char *value, struct err *e)
{
    if (go_parse_bool(value, out) != 0)
        return err_say(e, "true or false");
    return 0;
}

/* Stores a number, from `min` to `max`, for which a parser returned `status`. */
static int take_between(struct given *out, int status, uint64_t number, uint64_t min, uint64_t max,
                        const char *accepted, struct err *e)
{
    if (status != 0 || number < min || number > max)
        return err_say(e, "%s", accepted);
    *out = (struct given){.given = true, .value = number};
    return 0;
}

int value_duration(struct given *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e)
{
    uint64_t nanoseconds = 0;
    int status = go_parse_duration(value, &nanoseconds);
    return take_between(out, status, nanoseconds, min, MOST_SECONDS * BILLION, accepted, e);
}

static int value_bytes(struct given *out, const char *value, uint64_t min, uint64_t max,
                       const char *accepted, struct err *e)
{
    uint64_t bytes = 0;
    int status = go_parse_size(value, &bytes);
    return take_between(out, status, bytes, min, max, accepted, e);
}

static int value_decimal(struct given *out, const char *value, uint64_t min, uint64_t max,
                         const char *accepted, struct err *e)
{
    uint64_t billionths = 0;
    int status = units_parse_decimal(value, &billionths);
    return take_between(out, status, billionths, min, max, accepted, e);
}

int value_text(const char **out, const char *value, const char *accepted, struct err *e)
{
    if (*value == '\0')
        return err_say(e, "%s", accepted);
    *out = value;
    return 0;
}

int value_word(const char *value, const char *const words[])
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

int value_list(void *settings, const char *list, value_take *take, const char *accepted,
               struct err *e)
{
    for (;;) {
        char word[VALUE_WORD];
        size_t length = strcspn(list, ",");
        if (length >= sizeof word)
            break;
        memcpy(word, list, length);
        word[length] = '\0';
        if (!take(settings, word))
            break;
        if (list[length] == '\0')
            return 0;
        list += length + 1;
    }
    return err_say(e, "%s", accepted);
}

static int take_word(const struct option_entry *entry, int *field, const char *value, struct err *e)
{
    int word = value_word(value, entry->words);
    if (word < 0)
        return err_say(e, "%s", entry->accepted);
    *field = word;
    return 0;
}

int option_apply(const struct option_entry *entry, void *settings, const char *value, struct err *e)
{
    void *field = (char *)settings + entry->field;
    switch (entry->kind) {
    case OPTION_CUSTOM:
        return entry->set(field, value, e);
    case OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case OPTION_COUNT:
        return value_count(field, value, entry->min, entry->max, entry->accepted, e);
    case OPTION_SIZE:
        return value_size(field, value, entry->unit, entry->max, entry->accepted, e);
    case OPTION_ROUNDED_SIZE:
        return value_rounded_size(field, value, entry->unit, entry->max, entry->accepted, e);
    case OPTION_SECONDS:
        return value_seconds(field, value, entry->min, e);
    case OPTION_BOOLEAN:
        return value_boolean(field, value ? value : "true", e);
    case OPTION_DURATION:
        return value_duration(field, value, entry->min, entry->accepted, e);
    case OPTION_BYTES:
        return value_bytes(field, value, entry->min, entry->max, entry->accepted, e);
    case OPTION_DECIMAL:
        return value_decimal(field, value, entry->min, entry->max, entry->accepted, e);
    case OPTION_TEXT:
        return value_text(field, value, entry->accepted, e);
    case OPTION_WORD:
        return take_word(entry, field, value, e);
    case OPTION_SETS:
        *(int *)field = entry->constant;
        return 0;
    case OPTION_COUNTS:
        ++*(unsigned *)field;
        return 0;
    case OPTION_IGNORED:
        break;
    }
    return 0;
}
