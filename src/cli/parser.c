// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/parser.h"

#include <ctype.h>

/* Longer names get no suggestion. */
#define MAX_NAME 31
/* Number of changed letters up to which one name may be a misspelling of another. */
#define NEAR 2
/* Number of characters of an unknown word that a message repeats. */
#define WORD_SHOWN 100

/* The name that the user gave, without dashes and value. */
struct given_name {
    const char *text;
    size_t length;
};

static struct given_name name_in(const char *text)
{
    return (struct given_name){.text = text, .length = strcspn(text, "=")};
}

static bool begins_with(const char *name, const struct given_name *given)
{
    return name && given->length > 0 && strncmp(name, given->text, given->length) == 0;
}

/* Options have two names each; NULL: this one does not have it, or only after one dash. */
static const char *nth_name(const struct option_table *table, size_t n)
{
    const struct option_entry *entry = &table->entries[n / 2];
    return entry->quirks & OPTION_SINGLE_DASH ? NULL : n % 2 == 0 ? entry->name : entry->alias;
}

/* Appends ", --name" to the list if there is room. */
static void list_name(struct label_text *names, const char *dashes, const char *name)
{
    label_add(names, "%s%s%s", *names->text ? ", " : "", dashes, name);
}

/* Number of letters that must be inserted, removed or replaced to turn one name into the other
 * (Levenshtein, 1966). Computes one row of the matrix at a time. */
static size_t name_distance(const char *name, const struct given_name *given)
{
    size_t row[MAX_NAME + 1];
    for (size_t j = 0; j <= given->length; j++)
        row[j] = j;
    for (size_t i = 0; name[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < given->length; j++) {
            size_t replaced = diagonal + (tolower((unsigned char)name[i]) !=
                                          tolower((unsigned char)given->text[j]));
            diagonal = row[j + 1];
            row[j + 1] = MIN(replaced, MIN(row[j], row[j + 1]) + 1);
        }
    }
    return row[given->length];
}

const char *cli_nearest(const char *const words[], const char *text)
{
    const struct given_name given = {text, strlen(text)};
    const char *nearest = NULL;
    size_t least = NEAR + 1;
    for (; *words && given.length <= MAX_NAME; words++) {
        size_t found = name_distance(*words, &given);
        if (found < least && found < given.length)
            nearest = *words;
        least = MIN(found, least);
    }
    return nearest;
}

/* The option that has this name in another program; NULL: there is none. */
static const struct option_entry *entry_of_foreign(const struct option_table *table,
                                                   const struct given_name *given)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].foreign &&
            word_list_has(table->entries[i].foreign, given->text, given->length))
            return &table->entries[i];
    return NULL;
}

static bool is_of_neighbour(const struct option_table *table, const struct given_name *given)
{
    return table->neighbour && word_list_has(table->neighbour_options, given->text, given->length);
}

/* Refuses a name that the table does not have, of a word "--nmae=value". Lists the names that begin
 * with it, or else the nearest ones. Never repeats the value, which may be a secret. */
static int suggest_option(const struct option_table *table, const char *word,
                          const struct given_name *given, struct err *e)
{
    const char *dashes = option_dashes(table);
    const struct option_entry *foreign = entry_of_foreign(table, given);
    unsigned begun = 0; /* number of names that begin with the given one */
    int shown = (int)MIN((size_t)(given->text - word) + given->length, WORD_SHOWN);
    struct label_text names = {""};
    if (is_of_neighbour(table, given))
        return err_say(e, "unknown option %.*s; it is one of %s", shown, word, table->neighbour);
    for (size_t n = 0; n < 2 * table->count && !foreign; n++) {
        if (!begins_with(nth_name(table, n), given))
            continue;
        begun++;
        list_name(&names, dashes, nth_name(table, n));
    }
    if (begun > 1)
        return err_say(e, "ambiguous option %.*s: it may be %.199s", shown, word, names.text);
    if (foreign)
        list_name(&names, dashes, foreign->name);
    /* without any, the names that are nearest to the given one; none if all are too far from it */
    size_t least = NEAR;
    bool wants_nearest = !foreign && begun == 0 && given->length <= MAX_NAME;
    for (size_t n = 0; wants_nearest && n < 2 * table->count; n++) {
        const char *name = table->entries[n / 2].help ? nth_name(table, n) : NULL;
        size_t found = name ? name_distance(name, given) : NEAR + 1;
        if (found > least || found >= given->length)
            continue;
        if (found < least)
            names.text[0] = '\0';
        least = found;
        list_name(&names, dashes, name);
    }
    if (names.text[0] != '\0')
        return err_say(e, "unknown option %.*s; did you mean %.199s?", shown, word, names.text);
    return err_say(e, "unknown option %.*s; %shelp lists the options", shown, word, dashes);
}

static const struct option_entry *entry_of_letter(const struct option_table *table, char letter)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].letter && (char)table->entries[i].letter == letter)
            return &table->entries[i];
    return NULL;
}

/* The option with this name or, unless only whole names count, the only one that begins so. */
static const struct option_entry *entry_of_name(const struct option_table *table,
                                                const struct given_name *given, bool must_be_whole)
{
    const struct option_entry *last = NULL;
    unsigned begun = 0;
    for (size_t n = 0; n < 2 * table->count; n++) {
        const struct option_entry *entry = &table->entries[n / 2];
        const char *name = nth_name(table, n);
        if (!begins_with(name, given))
            continue;
        begun += entry != last;
        last = entry;
        if (name[given->length] == '\0')
            return entry;
    }
    if (table->style == STYLE_GO && given->length == 1)
        return entry_of_letter(table, *given->text);
    return begun == 1 && !must_be_whole ? last : NULL;
}

struct reader {
    const struct option_table *table;
    void *settings;
    char **next;        /* next word to read; it points to NULL when there are no more */
    bool *given;        /* for each entry, whether it was given; NULL: not wanted */
    char *stray;        /* the operand that stands for an option; NULL: there was none */
    bool only_operands; /* "--" has been read */
    enum cli_answer answer;
    const struct option_entry *listed; /* the option whose words are asked for */
};

#define OPTION_NAME 64

/* Writes an option as messages name it: "--size". */
static void option_name(char name[OPTION_NAME], const struct option_table *table,
                        const struct option_entry *entry)
{
    if (entry->name)
        snprintf(name, OPTION_NAME, "%s%s", option_dashes(table), entry->name);
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
        return err_say(e, "%s needs a value: %s%s%s", name, entry->value_name,
                       entry->accepted ? ", " : "", entry->accepted ? entry->accepted : "");
    if (entry->quirks & OPTION_SECRET)
        return err_say(e, "%s: this value is not accepted; expected %s", name, accepted);
    return err_say(e, "%s: '%.100s' is not accepted; expected %s", name, given, accepted);
}

static int apply_option(struct reader *r, const struct option_entry *entry, char *value,
                        struct err *e)
{
    static const char *const help[] = {"help", "list", NULL};
    struct err reason = {0};
    int rc = 0;
    if (entry->kind == OPTION_ANSWERS) {
        r->answer = (enum cli_answer)entry->constant;
    } else if (entry->words && value && value_word(value, help) >= 0 &&
               value_word(value, entry->words) < 0) {
        r->answer = CLI_LIST;
        r->listed = entry;
    } else if (option_apply(entry, r->settings, value, &reason) != 0) {
        rc = refuse_value(r->table, entry, value, reason.text, e);
    }
    if (value && (entry->quirks & OPTION_SECRET))
        memset(value, '*', strlen(value));
    if (r->given)
        r->given[entry - r->table->entries] = true;
    return rc;
}

/* Reads the rest of an option. `value` is what is attached to it; NULL: nothing. */
static int read_value(struct reader *r, const struct option_entry *entry, char *value,
                      struct err *e)
{
    static const char *const booleans[] = {"true", "false", NULL};
    const char *const *words = entry->kind == OPTION_BOOLEAN       ? booleans
                               : (entry->quirks & OPTION_DETACHED) ? entry->words
                                                                   : NULL;
    bool takes_next =
        words ? *r->next && value_word(*r->next, words) >= 0 : entry->value == VALUE_REQUIRED;
    if (value || !takes_next)
        return apply_option(r, entry, value, e);
    if (!*r->next)
        return refuse_value(r->table, entry, NULL, NULL, e);
    return apply_option(r, entry, *r->next++, e);
}

static int read_name(struct reader *r, const char *word, char *name, struct err *e)
{
    const struct given_name given = name_in(name);
    bool has_two_dashes = name - word == 2;
    const struct option_entry *entry =
        entry_of_name(r->table, &given, r->table->style == STYLE_GO && !has_two_dashes);
    char *value = name[given.length] == '=' ? name + given.length + 1 : NULL;
    if (!entry)
        return suggest_option(r->table, word, &given, e);
    if (!value || entry->value != VALUE_NONE || entry->kind == OPTION_BOOLEAN)
        return read_value(r, entry, value, e);
    return err_say(e, "%s%s takes no value", option_dashes(r->table), entry->name);
}

/* Reads what follows a single dash: letters, or a name where the style has names there. */
static int read_one_dash(struct reader *r, char *word, struct err *e)
{
    char *text = word + 1;
    const struct option_table *table = r->table;
    const struct given_name given = name_in(text);
    const struct option_entry *whole = given.length > 1 ? entry_of_name(table, &given, true) : NULL;
    bool begins_with_letter = entry_of_letter(table, *text);
    for (size_t i = 0; i < table->count; i++)
        if ((table->entries[i].quirks & OPTION_SINGLE_DASH) &&
            strcmp(table->entries[i].name, text) == 0)
            return apply_option(r, &table->entries[i], NULL, e);
    if (table->style == STYLE_GO)
        return read_name(r, word, text, e);
    if (table->style == STYLE_ONE_DASH &&
        (!begins_with_letter || (given.length > 1 && entry_of_name(table, &given, false))))
        return read_name(r, word, text, e);
    if (whole && begins_with_letter)
        return err_say(e, "unknown option -%.*s; did you mean --%.*s?", (int)given.length, text,
                       (int)given.length, text);
    if (given.length > 1 && is_of_neighbour(table, &given))
        return suggest_option(table, word, &given, e);
    struct err meant = {0};
    int rc = 0;
    bool is_last = false; /* the letter has a value, or is the last one */
    for (char *at = text; rc == 0 && !is_last; at++) {
        const struct option_entry *entry = entry_of_letter(table, *at);
        bool is_attached =
            entry && entry->value != VALUE_NONE && at[1] != '\0' &&
            (!(entry->quirks & OPTION_TAKES_NUMBERS) || isdigit((unsigned char)at[1]));
        is_last = is_attached || at[1] == '\0';
        if (!entry)
            rc = err_say(e, "unknown option -%c; --help lists the options", *at);
        else if (is_last)
            rc = read_value(r, entry, is_attached ? at + 1 : NULL, e);
        else
            rc = apply_option(r, entry, NULL, e);
    }
    if (rc != 0 && whole)
        err_say(&meant, "did you mean --%s?", whole->name);
    err_append(e, &meant);
    return rc;
}

static int refuse_word(const struct option_table *table, const char *word, struct err *e)
{
    return err_say(e, "unexpected argument '%.100s'; %shelp lists the options", word,
                   option_dashes(table));
}

int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              bool given[MAX_OPTIONS], FILE *out, struct err *e)
{
    struct reader r = {.table = table, .settings = settings, .given = given};
    int rc = 0;
    if (given)
        memset(given, 0, MAX_OPTIONS * sizeof *given);
    r.next = argv + (argc > 0 ? 1 : 0);
    while (rc == 0 && *r.next) {
        char *word = *r.next++;
        const struct given_name assigned = name_in(word); /* dd has words such as bs=1M */
        const struct option_entry *foreign = word[assigned.length] == '=' && !r.only_operands
                                                 ? entry_of_foreign(table, &assigned)
                                                 : NULL;
        bool is_operand = r.only_operands || word[0] != '-' || word[1] == '\0';
        if (is_operand && foreign)
            rc = err_say(e, "unexpected argument '%.100s'; did you mean %s%s?", word,
                         option_dashes(table), foreign->name);
        else if (is_operand && table->operand)
            rc = table->operand(settings, word, e);
        else if (is_operand && (!table->operand_name || r.stray))
            rc = refuse_word(table, word, e);
        else if (is_operand)
            r.stray = word;
        else if (strcmp(word, "--") == 0)
            r.only_operands = true;
        else if (word[1] == '-')
            rc = read_name(&r, word, word + 2, e);
        else
            rc = read_one_dash(&r, word, e);
    }
    if (rc == 0 && r.stray) {
        /* a word without a dash is the value of its option, unless that was given */
        const struct given_name name = name_in(table->operand_name);
        const struct option_entry *entry = entry_of_name(table, &name, true);
        rc = given && given[entry - table->entries] ? refuse_word(table, r.stray, e)
                                                    : apply_option(&r, entry, r.stray, e);
    }
    if (rc != 0 || r.answer == CLI_NONE)
        return rc;
    if (out)
        cli_answer(table, r.answer, r.listed, out);
    return CLI_ANSWERED;
}

int cli_check_owner(const struct option_table *table, const struct option_entry *entry,
                    const char *owner, struct err *e)
{
    char name[OPTION_NAME];
    struct label_text names = {""};
    for (unsigned i = 0; table->owners[i] && entry->owners != 0; i++) {
        if (!(entry->owners & 1U << i))
            continue;
        if (strcmp(table->owners[i], owner) == 0)
            return 0;
        list_name(&names, "", table->owners[i]);
    }
    if (entry->owners == 0)
        return 0;
    option_name(name, table, entry);
    return err_say(e, "%s is an option of %s, not of %s", name, names.text, owner);
}

bool cli_is_called(int argc, char *const argv[], const char *name)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    return argc > 0 && strcmp(slash ? slash + 1 : argv[0], name) == 0;
}
