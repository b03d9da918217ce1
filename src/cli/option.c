// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/option.h"

#include "util/units.h"

/* About eleven and a half days; more can only be a mistake. */
#define MAX_NS (1000000 * BILLION)

static int refuse(const char *accepted, struct err *e)
{
    return accepted ? err_say(e, "%s", accepted) : -EINVAL;
}

/* Takes a number, from `min` to `max`, that a parser, which returned `status`, has stored. */
static int take_number(struct optional *out, int status, const uint64_t *number, uint64_t min,
                       uint64_t max, const char *accepted, struct err *e)
{
    if (status != 0 || *number < min || (max > 0 && *number > max))
        return refuse(accepted, e);
    *out = (struct optional){.given = true, .value = *number};
    return 0;
}

int value_count(struct optional *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e)
{
    uint64_t number = 0;
    return take_number(out, units_parse_count(value, &number), &number, min, max, accepted, e);
}

int value_size(struct optional *out, const char *value, uint64_t unit, uint64_t min, uint64_t max,
               const char *accepted, struct err *e)
{
    uint64_t bytes = 0;
    return take_number(out, units_parse_size(value, unit, &bytes), &bytes, min, max, accepted, e);
}

int value_duration(struct optional *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e)
{
    uint64_t ns = 0;
    return take_number(out, units_parse_duration(value, BILLION, &ns), &ns, min, MAX_NS, accepted,
                       e);
}

int value_boolean(bool *out, const char *value, struct err *e)
{
    static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True", NULL};
    static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False", NULL};
    *out = value_word(value, yes) >= 0;
    return *out || value_word(value, no) >= 0 ? 0 : err_say(e, "true or false");
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

int value_list(void *settings, const char *list, bool (*take)(void *settings, char *word),
               const char *accepted, struct err *e)
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
    return refuse(accepted, e);
}

static void add_words(struct label_text *t, const char *const words[], const char *last)
{
    for (size_t i = 0; words[i]; i++)
        label_add(t, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : last, words[i]);
}

struct label_text option_help(const struct option_entry *entry)
{
    struct label_text t = {""};
    const char *mark = strstr(entry->help, "%s");
    label_add(&t, "%.*s", mark ? (int)(mark - entry->help) : (int)strlen(entry->help), entry->help);
    if (mark) {
        add_words(&t, entry->words, " or ");
        label_add(&t, "%s", mark + 2);
    }
    return t;
}

/* Sets the field. Returns -EINVAL, and leaves e alone, if the entry says what is accepted. */
static int set_field(const struct option_entry *entry, void *field, const char *value,
                     struct err *e)
{
    static const char *const formats[] = {"json", "text", "csv", "html", "human", NULL};
    uint64_t number = 0;
    int word;
    int status;
    switch (entry->kind) {
    case OPTION_CUSTOM:
        return entry->set(field, value, e);
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_BOOLEAN:
        return value_boolean(field, value ? value : "true", e);
    case OPTION_COUNT:
        return value_count(field, value, entry->min, entry->max, NULL, e);
    case OPTION_DECIMAL:
        return take_number(field, units_parse_decimal(value, &number), &number, entry->min,
                           entry->max, NULL, e);
    case OPTION_SIZE:
        status = units_parse_size(value, entry->unit, &number);
        if (entry->multiple > 0 && number % entry->multiple != 0)
            return -EINVAL;
        return take_number(field, status, &number, entry->min, entry->max, NULL, e);
    case OPTION_DURATION:
        return value_duration(field, value, entry->min, NULL, e);
    case OPTION_FILE:
        /* what is meant for other programs, or as something else, such as the next option */
        if (value_word(value, formats) >= 0 || (*value == '-' && value[1] != '\0'))
            return err_say(e, "%s; ./%s is a file of that name", entry->accepted, value);
        if (strcmp(value, "_direct") == 0) /* the -o_direct of Bonnie */
            return err_say(e, "%s; --direct is direct I/O", entry->accepted);
        return value_text(field, value, entry->accepted, e);
    case OPTION_TEXT:
        if (entry->words && !entry->accepted && value_word(value, entry->words) < 0)
            return -EINVAL;
        return value_text(field, value, entry->accepted, e);
    case OPTION_WORD:
        word = value_word(value, entry->words);
        if (word < 0)
            return -EINVAL;
        *(int *)field = word;
        break;
    case OPTION_OCCURRENCES:
        ++*(unsigned *)field;
        break;
    case OPTION_IGNORED:
    case OPTION_ANSWERS:
        break;
    }
    return 0;
}

int option_apply(const struct option_entry *entry, void *settings, const char *value, struct err *e)
{
    static const char *const things[] = {
        [OPTION_COUNT] = "a whole number", [OPTION_DECIMAL] = "a number", [OPTION_SIZE] = "a size"};
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB", NULL};
    struct label_text t = {""}; /* what the option accepts: "a size from 1KiB to 1GiB" */
    bool is_list = entry->offer == OFFER_LIST;
    bool is_size = entry->kind == OPTION_SIZE;
    int rc = set_field(entry, (char *)settings + entry->field, value, e);
    if (rc == 0 || e->code != 0)
        return rc;
    if (entry->accepted) {
        label_add(&t, "%s", entry->accepted);
    } else if (entry->words) {
        label_add(&t, "%s", is_list ? "a comma-separated list of " : "");
        add_words(&t, entry->words, is_list ? ", " : " or ");
    } else if (entry->kind == OPTION_DURATION) {
        label_add(&t, "a time%s up to 1000000 seconds: 90, 90s, 1.5s, 300ms or 1m30s",
                  entry->min > 0 ? " above 0 and" : "");
    } else if (entry->kind == OPTION_COUNT || entry->kind == OPTION_DECIMAL || is_size) {
        uint64_t divisor = entry->kind == OPTION_DECIMAL ? BILLION : 1;
        const uint64_t limits[] = {entry->min, entry->max};
        label_add(&t, "%s", things[entry->kind]);
        for (int i = 0; i < 2; i++) {
            if (i == 0 ? entry->min == 0 && (is_size || entry->max == 0) : entry->max == 0)
                continue;
            label_add(&t, "%s",
                      i == 0                       ? " from "
                      : is_size && entry->min == 0 ? " up to "
                                                   : " to ");
            if (is_size)
                label_add(&t, "%s", units_exactly(limits[i], units).text);
            else
                label_add(&t, "%" PRIu64, limits[i] / divisor);
        }
        if (is_size && entry->unit > 1)
            label_add(&t, "; a number alone is in %s", entry->unit == MIB ? "MiB" : "KiB");
    } else {
        label_add(&t, "%s", entry->value_name);
    }
    err_say(e, "%s", t.text);
    return rc;
}
