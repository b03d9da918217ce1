#include "cli/option.h"

#include <stdbool.h>

#include "cli/values.h"

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
