#include "cli/go_parser.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"

/* Number of characters of an unknown name that a message repeats. */
#define NAME_SHOWN 100

struct reader {
    const struct option_table *table;
    void *settings;
    char **next; /* next word to read; NULL: there are no more */
    const char *operand;
    char *stray; /* the operand; NULL: there was none */
    bool *given;
    bool only_operands; /* "--" has been read */
};

static bool is_named(const char *name, const char *word, size_t length)
{
    return name && strlen(name) == length && memcmp(name, word, length) == 0;
}

static const struct option_entry *entry_named(const struct option_table *table, const char *word,
                                              size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        if (is_named(entry->name, word, length) || is_named(entry->alias, word, length) ||
            (length == 1 && entry->letter == *word))
            return entry;
    }
    return NULL;
}

static int refuse_flag(const struct option_entry *entry, const char *given, const char *accepted,
                       struct err *e)
{
    if (!given)
        return err_say(e, "-%s needs a value: %s", entry->name, accepted);
    if (entry->quirks & OPTION_SECRET)
        return err_say(e, "-%s: this value is not accepted; expected %s", entry->name, accepted);
    return err_say(e, "-%s: '%.100s' is not accepted; expected %s", entry->name, given, accepted);
}

static int apply_flag(const struct reader *r, const struct option_entry *entry, char *value,
                      struct err *e)
{
    struct err reason;
    err_init(&reason);
    int rc = option_apply(entry, r->settings, value, &reason);
    if (rc != 0)
        rc = refuse_flag(entry, value, reason.text, e);
    if (value && (entry->quirks & OPTION_SECRET))
        memset(value, '*', strlen(value));
    return rc;
}

/*
 * Refuses a name. The message does not repeat the value, because it may be a secret key after a
 * misspelt option.
 */
static int refuse_name(const struct option_table *table, const char *name, size_t length,
                       struct err *e)
{
    char word[NAME_SHOWN + 2];
    snprintf(word, sizeof word, "-%.*s", (int)(length < NAME_SHOWN ? length : NAME_SHOWN), name);
    return suggest_option(table, word, e);
}

/* Takes the next word as the value of a boolean without `=`, if that word is true or false. */
static char *boolean_value(struct reader *r)
{
    const char *word = *r->next;
    bool is_value = word && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0);
    return is_value ? *r->next++ : NULL;
}

/* Reads the option whose name begins at `name`. */
static int read_option(struct reader *r, char *name, struct err *e)
{
    size_t length = strcspn(name, "=");
    char *value = name[length] == '=' ? name + length + 1 : NULL;
    const struct option_entry *entry = entry_named(r->table, name, length);
    if (!entry || length == 0)
        return refuse_name(r->table, name, length, e);
    bool takes_next = entry->value == VALUE_REQUIRED && entry->kind != OPTION_BOOLEAN;
    if (value && entry->value == VALUE_NONE && entry->kind != OPTION_BOOLEAN)
        return err_say(e, "-%s takes no value", entry->name);
    if (!value && takes_next) {
        if (!*r->next)
            return refuse_flag(entry, NULL, entry->accepted ? entry->accepted : entry->value_name,
                               e);
        value = *r->next++;
    }
    if (!value && entry->kind == OPTION_BOOLEAN)
        value = boolean_value(r);
    r->given[entry - r->table->entries] = true;
    return apply_flag(r, entry, value, e);
}

static int refuse_word(const char *word, struct err *e)
{
    return err_say(e, "unexpected argument '%.100s'; -help lists the options", word);
}

static int read_operand(struct reader *r, char *word, struct err *e)
{
    if (!r->operand || r->stray)
        return refuse_word(word, e);
    r->stray = word;
    return 0;
}

/* Takes a word without a dash as the operand, unless the option that it stands for was given. */
static int take_operand(struct reader *r, struct err *e)
{
    const struct option_entry *entry = entry_named(r->table, r->operand, strlen(r->operand));
    if (r->given[entry - r->table->entries])
        return refuse_word(r->stray, e);
    r->given[entry - r->table->entries] = true;
    return apply_flag(r, entry, r->stray, e);
}

static int read_word(struct reader *r, char *word, struct err *e)
{
    if (r->only_operands || word[0] != '-' || word[1] == '\0')
        return read_operand(r, word, e);
    if (strcmp(word, "--") == 0) {
        r->only_operands = true;
        return 0;
    }
    return read_option(r, word + (word[1] == '-' ? 2 : 1), e);
}

int cli_parse_go(const struct option_table *table, const char *operand, int argc, char *argv[],
                 void *settings, bool given[OPTIONS_MOST], struct err *e)
{
    struct reader r = {.table = table, .settings = settings, .operand = operand, .given = given};
    memset(given, 0, OPTIONS_MOST * sizeof *given);
    r.next = argv + (argc > 0 ? 1 : 0);
    int rc = 0;
    while (rc == 0 && *r.next) {
        char *word = *r.next++;
        rc = read_word(&r, word, e);
    }
    return rc == 0 && r.stray ? take_operand(&r, e) : rc;
}
