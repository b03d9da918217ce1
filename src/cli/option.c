// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/option.h"

#include <string.h>

#include "util/go_units.h"
#include "util/units.h"

/* About eleven and a half days; more can only be a mistake. */
#define MOST_NS (1000000 * BILLION)

/* Stores a number, from `min` to `max`, for which a parser returned `status`. */
static int take_number(struct optional *out, int status, uint64_t number, uint64_t min,
                       uint64_t max, const char *accepted, struct err *e)
{
    if (status != 0 || number < min || number > max)
        return err_say(e, "%s", accepted);
    *out = (struct optional){.given = true, .value = number};
    return 0;
}

int value_count(struct optional *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e)
{
    uint64_t number = 0;
    int status = units_parse_count(value, &number);
    return take_number(out, status, number, min, max, accepted, e);
}

int value_size(struct optional *out, const char *value, uint64_t unit, uint64_t max,
               const char *accepted, struct err *e)
{
    uint64_t bytes = 0;
    int status = units_parse_size(value, unit, &bytes);
    return take_number(out, status, bytes, 0, max, accepted, e);
}

int value_boolean(bool *out, const char *value, struct err *e)
{
    if (go_parse_bool(value, out) != 0)
        return err_say(e, "true or false");
    return 0;
}

int value_duration(struct optional *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e)
{
    uint64_t nanoseconds = 0;
    int status = go_parse_duration(value, &nanoseconds);
    return take_number(out, status, nanoseconds, min, MOST_NS, accepted, e);
}

int value_text(const char **out, const char *value, const char *accepted, struct err *e)
{
    if (*value == '\0' && accepted)
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

int option_apply(const struct option_entry *entry, void *settings, const char *value, struct err *e)
{
    void *field = (char *)settings + entry->field;
    const char *accepted = entry->accepted;
    uint64_t max = entry->max;
    uint64_t number = 0;
    int word;
    int status = 0;
    switch (entry->kind) {
    case OPTION_CUSTOM:
        return entry->set(field, value, e);
    case OPTION_FLAG:
        *(bool *)field = true;
        return 0;
    case OPTION_BOOLEAN:
        return value_boolean(field, value ? value : "true", e);
    case OPTION_DURATION:
        return value_duration(field, value, entry->min, accepted, e);
    case OPTION_TEXT:
        return value_text(field, value, accepted, e);
    case OPTION_WORD:
        word = value_word(value, entry->words);
        if (word < 0)
            return err_say(e, "%s", accepted);
        *(int *)field = word;
        return 0;
    case OPTION_SETS:
        *(int *)field = entry->constant;
        return 0;
    case OPTION_OCCURRENCES:
        ++*(unsigned *)field;
        return 0;
    case OPTION_IGNORED:
        return 0;
    case OPTION_COUNT:
        status = units_parse_count(value, &number);
        break;
    case OPTION_ROUNDED_SIZE:
        status = units_parse_rounded_size(value, entry->unit, &number);
        break;
    case OPTION_SECONDS:
        status = units_parse_decimal(value, &number);
        max = MOST_NS;
        accepted = entry->min > 0
                       ? "a number of seconds above 0 and up to 1000000; fractions are allowed"
                       : "a number of seconds up to 1000000; fractions are allowed";
        break;
    case OPTION_BYTES:
        status = go_parse_size(value, &number);
        break;
    case OPTION_DECIMAL:
        status = units_parse_decimal(value, &number);
        break;
    }
    return take_number(field, status, number, entry->min, max, accepted, e);
}
