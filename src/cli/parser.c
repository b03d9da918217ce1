// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/parser.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Longer names get no suggestion. */
#define NAME_MOST 31

/* Number of changed letters up to which one name may be a misspelling of another. */
#define NEAR 2

/* The name that the user gave, without dashes and value. */
struct given_name {
    const char *text;
    size_t length;
};

static bool begins_with(const char *name, const struct given_name *given)
{
    return name && given->length > 0 && strncmp(name, given->text, given->length) == 0;
}

/* A name of the table's options, which have two each; NULL: this option does not have it. */
static const char *nth_name(const struct option_table *table, size_t n)
{
    const struct option_entry *entry = &table->entries[n / 2];
    return n % 2 == 0 ? entry->name : entry->alias;
}

/* Appends ", --name" to the list if there is room. */
static void list_name(char *names, size_t size, const char *dashes, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, size - used, "%s%s%s", used > 0 ? ", " : "", dashes, name);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Number of letters that must be inserted, removed or replaced to turn one name into the other
 * (Levenshtein, 1966). Computes one row of the matrix at a time.
 */
static size_t name_distance(const char *name, const struct given_name *given)
{
    size_t row[NAME_MOST + 1];
    for (size_t j = 0; j <= given->length; j++)
        row[j] = j;
    for (size_t i = 0; name[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < given->length; j++) {
            size_t replaced = diagonal + (name[i] != given->text[j]);
            diagonal = row[j + 1];
            row[j + 1] = smaller(replaced, smaller(row[j], row[j + 1]) + 1);
        }
    }
    return row[given->length];
}

/* Lists the names that are nearest to the given one; none if all are too far from it. */
static void list_nearest(char *names, size_t size, const struct option_table *table,
                         const struct given_name *given)
{
    size_t least = NEAR;
    for (size_t n = 0; n < 2 * table->count; n++) {
        const char *name = table->entries[n / 2].help ? nth_name(table, n) : NULL;
        size_t found = name ? name_distance(name, given) : NEAR + 1;
        if (found > least || found >= given->length)
            continue;
        if (found < least)
            names[0] = '\0';
        least = found;
        list_name(names, size, option_dashes(table), name);
    }
}

/* Number of characters of an unknown word that a message repeats. */
#define WORD_SHOWN 100

/*
 * Reports a name that the table does not have. `word` is what the user wrote: "--nmae=value". Lists
 * the names that begin with the given one or, if there are none, the nearest ones. Where options
 * may be secrets, the message does not repeat the value: the misspelt option may be one of these.
 * Returns -EINVAL.
 */
static int suggest_option(const struct option_table *table, const char *word,
                          const struct given_name *given, struct err *e)
{
    const char *dashes = option_dashes(table);
    unsigned begun = 0; /* number of names that begin with the given one */
    int shown = WORD_SHOWN;
    char names[200] = "";
    if (table->style == STYLE_GO) {
        word = given->text - 1;
        shown = given->length < WORD_SHOWN ? (int)given->length + 1 : WORD_SHOWN + 1;
    }
    for (size_t n = 0; n < 2 * table->count; n++) {
        if (!begins_with(nth_name(table, n), given))
            continue;
        begun++;
        list_name(names, sizeof names, dashes, nth_name(table, n));
    }
    if (begun > 1)
        return err_say(e, "ambiguous option %.*s: it may be %s", shown, word, names);
    if (begun == 0 && given->length <= NAME_MOST)
        list_nearest(names, sizeof names, table, given);
    if (names[0] != '\0')
        return err_say(e, "unknown option %.*s; did you mean %s?", shown, word, names);
    return err_say(e, "unknown option %.*s; %shelp lists the options", shown, word, dashes);
}

static const struct option_entry *entry_of_letter(const struct option_table *table, char letter)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].letter && (char)table->entries[i].letter == letter)
            return &table->entries[i];
    return NULL;
}

/*
 * Finds the option with this name or, unless names are Go's, the only one whose name begins with
 * it; NULL: there is none. *begun becomes the number of options whose names begin with it.
 */
static const struct option_entry *entry_of_name(const struct option_table *table,
                                                const struct given_name *given, unsigned *begun)
{
    const struct option_entry *last = NULL;
    *begun = 0;
    for (size_t n = 0; n < 2 * table->count; n++) {
        const struct option_entry *entry = &table->entries[n / 2];
        const char *name = nth_name(table, n);
        if (!begins_with(name, given))
            continue;
        *begun += entry != last;
        last = entry;
        if (name[given->length] == '\0')
            return entry;
    }
    if (table->style == STYLE_GO)
        return given->length == 1 ? entry_of_letter(table, *given->text) : NULL;
    return *begun == 1 ? last : NULL;
}

struct reader {
    const struct option_table *table;
    void *settings;
    char **next;        /* next word to read; it points to NULL when there are no more */
    bool *given;        /* for each entry, whether it was given; NULL: not wanted */
    char *stray;        /* the operand that stands for an option; NULL: there was none */
    bool only_operands; /* "--" has been read */
};

void option_name(char name[OPTION_NAME], const struct option_table *table,
                 const struct option_entry *entry)
{
    if (!entry->letter || table->style == STYLE_GO)
        snprintf(name, OPTION_NAME, "%s%s", option_dashes(table), entry->name);
    else if (entry->name)
        snprintf(name, OPTION_NAME, "-%c (--%s)", entry->letter, entry->name);
    else
        snprintf(name, OPTION_NAME, "-%c", entry->letter);
}

/* Refuses a value, or reports that there is none (`given` is NULL). */
static int refuse_value(const struct option_table *table, const struct option_entry *entry,
                        const char *given, const char *accepted, struct err *e)
{
    char name[OPTION_NAME];
    option_name(name, table, entry);
    if (!given)
        return err_say(e, "%s needs a value: %s", name, accepted);
    if (entry->quirks & OPTION_SECRET)
        return err_say(e, "%s: this value is not accepted; expected %s", name, accepted);
    return err_say(e, "%s: '%.100s' is not accepted; expected %s", name, given, accepted);
}

static int apply_option(const struct reader *r, const struct option_entry *entry, char *value,
                        struct err *e)
{
    struct err reason = {0};
    int rc = option_apply(entry, r->settings, value, &reason);
    if (rc != 0)
        rc = refuse_value(r->table, entry, value, reason.text, e);
    if (value && (entry->quirks & OPTION_SECRET))
        memset(value, '*', strlen(value));
    if (r->given)
        r->given[entry - r->table->entries] = true;
    return rc;
}

/* Whether the next word is the value of an option to which none is attached. */
static bool takes_next(const struct option_entry *entry, const char *next)
{
    static const char *const booleans[] = {"true", "false", NULL};
    if (entry->kind == OPTION_BOOLEAN)
        return next && value_word(next, booleans) >= 0;
    if (entry->quirks & OPTION_DETACHED)
        return next && value_word(next, entry->words) >= 0;
    return entry->value == VALUE_REQUIRED;
}

/* Reads the rest of an option. `value` is what is attached to it; NULL: nothing. */
static int read_value(struct reader *r, const struct option_entry *entry, char *value,
                      struct err *e)
{
    bool says_accepted = r->table->style == STYLE_GO && entry->accepted;
    if (value || !takes_next(entry, *r->next))
        return apply_option(r, entry, value, e);
    if (!*r->next)
        return refuse_value(r->table, entry, NULL,
                            says_accepted ? entry->accepted : entry->value_name, e);
    return apply_option(r, entry, *r->next++, e);
}

/* Reads the option whose name begins at `name`, in that word. */
static int read_name(struct reader *r, const char *word, char *name, struct err *e)
{
    const struct given_name given = {.text = name, .length = strcspn(name, "=")};
    unsigned begun;
    const struct option_entry *entry = entry_of_name(r->table, &given, &begun);
    char *value = name[given.length] == '=' ? name + given.length + 1 : NULL;
    if (!entry)
        return suggest_option(r->table, word, &given, e);
    if (!value || entry->value != VALUE_NONE || entry->kind == OPTION_BOOLEAN)
        return read_value(r, entry, value, e);
    if (r->table->style == STYLE_GO)
        return err_say(e, "-%s takes no value", entry->name);
    return err_say(e, "%.100s: --%s takes no value", word, entry->name);
}

/* Reads options of one letter each, up to one that has a value. */
static int read_letters(struct reader *r, char *at, struct err *e)
{
    for (;; at++) {
        const struct option_entry *entry = entry_of_letter(r->table, *at);
        if (!entry)
            return err_say(e, "unknown option -%c; --help lists the options", *at);
        bool is_attached =
            entry->value != VALUE_NONE && at[1] != '\0' &&
            (!(entry->quirks & OPTION_TAKES_NUMBERS) || isdigit((unsigned char)at[1]));
        if (is_attached || at[1] == '\0')
            return read_value(r, entry, is_attached ? at + 1 : NULL, e);
        int rc = apply_option(r, entry, NULL, e);
        if (rc != 0)
            return rc;
    }
}

/* Whether what follows a single dash is a name, and not letters. */
static bool is_name(const struct option_table *table, const char *text)
{
    const struct given_name given = {.text = text, .length = strcspn(text, "=")};
    unsigned begun;
    const struct option_entry *entry = entry_of_name(table, &given, &begun);
    if (table->style == STYLE_LETTERS)
        return entry && (entry->quirks & OPTION_SINGLE_DASH) && strcmp(entry->name, text) == 0;
    if (table->style == STYLE_GO || !entry_of_letter(table, *text))
        return true;
    return text[1] != '\0' && begun > 0;
}

static int refuse_word(const struct option_table *table, const char *word, struct err *e)
{
    return err_say(e, "unexpected argument '%.100s'; %shelp lists the options", word,
                   option_dashes(table));
}

static int read_word(struct reader *r, char *word, struct err *e)
{
    bool is_operand = r->only_operands || word[0] != '-' || word[1] == '\0';
    if (is_operand && r->table->operand)
        return r->table->operand(r->settings, word, e);
    if (is_operand && (!r->table->operand_name || r->stray))
        return refuse_word(r->table, word, e);
    if (is_operand)
        r->stray = word;
    else if (strcmp(word, "--") == 0)
        r->only_operands = true;
    else if (word[1] == '-')
        return read_name(r, word, word + 2, e);
    else if (is_name(r->table, word + 1))
        return read_name(r, word, word + 1, e);
    else
        return read_letters(r, word + 1, e);
    return 0;
}

/* Takes a word without a dash as the value of its option, unless that was given. */
static int take_stray(const struct reader *r, struct err *e)
{
    const struct given_name name = {r->table->operand_name, strlen(r->table->operand_name)};
    unsigned begun;
    const struct option_entry *entry = entry_of_name(r->table, &name, &begun);
    if (r->given && r->given[entry - r->table->entries])
        return refuse_word(r->table, r->stray, e);
    return apply_option(r, entry, r->stray, e);
}

int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              bool given[OPTIONS_MOST], struct err *e)
{
    struct reader r = {.table = table, .settings = settings, .given = given};
    int rc = 0;
    if (given)
        memset(given, 0, OPTIONS_MOST * sizeof *given);
    r.next = argv + (argc > 0 ? 1 : 0);
    while (rc == 0 && *r.next) {
        char *word = *r.next++;
        rc = read_word(&r, word, e);
    }
    return rc == 0 && r.stray ? take_stray(&r, e) : rc;
}

bool cli_is_called(int argc, char *const argv[], const char *name)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    return argc > 0 && strcmp(slash ? slash + 1 : argv[0], name) == 0;
}
