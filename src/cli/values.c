#include "cli/values.h"

#include <string.h>

#include "cli/limits.h"
#include "util/units.h"

int value_count(struct given *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e)
{
    uint64_t number;
    if (units_parse_count(value, &number) != 0 || number < min || number > max)
        return err_say(e, "%s", accepted);
    *out = (struct given){.given = true, .value = number};
    return 0;
}

int value_size(struct given *out, const char *value, uint64_t unit, uint64_t max,
               const char *accepted, struct err *e)
{
    uint64_t bytes;
    if (units_parse_size(value, unit, &bytes) != 0 || bytes > max)
        return err_say(e, "%s", accepted);
    *out = (struct given){.given = true, .value = bytes};
    return 0;
}

int value_seconds(struct given *out, const char *value, uint64_t min, struct err *e)
{
    uint64_t nanoseconds;
    if (units_parse_decimal(value, &nanoseconds) != 0 || nanoseconds < min ||
        nanoseconds > LIMIT_SECONDS * BILLION)
        return err_say(e, "seconds, up to 1000000, with a fraction if need be%s",
                       min > 0 ? ", more than 0" : "");
    *out = (struct given){.given = true, .value = nanoseconds};
    return 0;
}

int value_text(const char **out, const char *value, const char *accepted, struct err *e)
{
    if (*value == '\0')
        return err_say(e, "%s", accepted);
    *out = value;
    return 0;
}

int value_word(const char *value, const char *const words[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], value) == 0)
            return i;
    return -1;
}

int value_list(struct settings *s, const char *list, value_take *take, const char *accepted,
               struct err *e)
{
    for (;;) {
        char word[VALUE_WORD];
        size_t length = strcspn(list, ",");
        if (length >= sizeof word)
            break;
        memcpy(word, list, length);
        word[length] = '\0';
        if (!take(s, word))
            break;
        if (list[length] == '\0')
            return 0;
        list += length + 1;
    }
    return err_say(e, "%s", accepted);
}
