// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/parser.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "util/err.h"

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

/* The dashes that this table has before a name. */
static const char *dashes_of(const struct option_table *table)
{
    return table->dashes ? table->dashes : "--";
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
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        const char *const both[] = {entry->name, entry->alias};
        for (size_t n = 0; entry->help && n < 2; n++) {
            size_t found = both[n] ? name_distance(both[n], given) : NEAR + 1;
            if (found > least || found >= given->length)
                continue;
            if (found < least)
                names[0] = '\0';
            least = found;
            list_name(names, size, dashes_of(table), both[n]);
        }
    }
}

/*
 * Reports a long option that the table does not have. `word` is as the user gave it:
 * "--nmae=value". Lists the names that begin with the given one or, if there are none, the nearest
 * ones. Returns -EINVAL.
 */
static int suggest_option(const struct option_table *table, const char *word, struct err *e)
{
    struct given_name given = {.text = word + strspn(word, "-")};
    given.length = strcspn(given.text, "=");
    const char *dashes = dashes_of(table);
    unsigned begun = 0; /* number of names that begin with the given one */
    char names[200] = "";
    for (size_t i = 0; i < table->count; i++) {
        const char *const both[] = {table->entries[i].name, table->entries[i].alias};
        for (size_t n = 0; n < 2; n++) {
            if (!begins_with(both[n], &given))
                continue;
            begun++;
            list_name(names, sizeof names, dashes, both[n]);
        }
    }
    if (begun > 1)
        return err_say(e, "ambiguous option %.100s: it may be %s", word, names);
    if (begun == 0 && given.length <= NAME_MOST)
        list_nearest(names, sizeof names, table, &given);
    if (names[0] != '\0')
        return err_say(e, "unknown option %.100s; did you mean %s?", word, names);
    return err_say(e, "unknown option %.100s; %shelp lists the options", word, dashes);
}

/*
 * Code that getopt returns for the option in row i of the table: its letter or, without a letter, i
 * plus this.
 */
#define LONG_ONLY_BASE 256

/* Code that getopt returns for an operand, because its string of letters begins with `-`. */
#define CODE_OPERAND 1

/* Length of the longest name that may follow a single dash. */
#define SINGLE_DASH_NAME 16

/* The arguments of getopt_long(), made from the option table. */
struct getopt_form {
    char letters[3 * OPTIONS_MOST + 3];
    struct option names[2 * OPTIONS_MOST + 1];
};

static int code_of(const struct option_table *table, size_t row)
{
    int letter = table->entries[row].letter;
    return letter ? letter : LONG_ONLY_BASE + (int)row;
}

static const struct option_entry *entry_of(const struct option_table *table, int code)
{
    for (size_t i = 0; i < table->count; i++)
        if (code_of(table, i) == code)
            return &table->entries[i];
    return NULL;
}

static void form_init(struct getopt_form *form, const struct option_table *table)
{
    static const int has_argument[] = {
        [VALUE_NONE] = no_argument,
        [VALUE_REQUIRED] = required_argument,
        [VALUE_OPTIONAL] = optional_argument,
    };
    char *letter = form->letters;
    struct option *name = form->names;

    if (table->operand)
        *letter++ = '-'; /* makes getopt return operands at their place among the options */
    *letter++ = ':';     /* makes getopt distinguish a missing value from an unknown option */
    for (size_t i = 0; i < table->count; i++) {
        const struct option_entry *entry = &table->entries[i];
        if (entry->letter) {
            *letter++ = (char)entry->letter;
            for (int colons = has_argument[entry->value]; colons > 0; colons--)
                *letter++ = ':';
        }
        const char *const both[] = {entry->name, entry->alias};
        for (size_t n = 0; n < 2; n++)
            if (both[n])
                *name++ =
                    (struct option){both[n], has_argument[entry->value], NULL, code_of(table, i)};
    }
    *letter = '\0';
    *name = (struct option){0};
}

/* Writes the names of an option as the user may know them: "-s", "--tests" or "-s (--size)". */
static void describe_option(const struct option_entry *entry, char *text, size_t size)
{
    if (entry->letter && entry->name)
        snprintf(text, size, "-%c (--%s)", entry->letter, entry->name);
    else if (entry->letter)
        snprintf(text, size, "-%c", entry->letter);
    else
        snprintf(text, size, "--%s", entry->name);
}

static int refuse_value(const struct option_entry *entry, const char *given, const char *accepted,
                        struct err *e)
{
    char name[64];
    describe_option(entry, name, sizeof name);
    if (given)
        return err_say(e, "%s: '%.100s' is not accepted; expected %s", name, given, accepted);
    return err_say(e, "%s needs a value: %s", name, accepted);
}

static int apply_option(void *settings, const struct option_entry *entry, const char *value,
                        struct err *e)
{
    struct err reason;
    err_init(&reason);
    if (option_apply(entry, settings, value, &reason) == 0)
        return 0;
    return refuse_value(entry, value, reason.text, e);
}

/*
 * The word that getopt has refused, or reads next: the first one from optind on that is not an
 * operand. optind alone does not show which: glibc has already gone past an unknown name, musl may
 * still be at it, and operands may have been moved.
 */
static const char *next_word(int argc, char *const argv[])
{
    int at = optind > 0 ? optind : 1;
    while (at < argc && (argv[at][0] != '-' || argv[at][1] == '\0'))
        at++;
    return at < argc ? argv[at] : "";
}

/*
 * Reports what getopt has refused: an unknown option, a missing value or a superfluous one. Returns
 * -EINVAL.
 */
static int complain_of_word(const struct option_table *table, int code, const char *word,
                            struct err *e)
{
    const struct option_entry *entry = entry_of(table, optopt);
    if (code == ':' && entry)
        return refuse_value(entry, NULL, entry->value_name, e);
    if (entry && entry->value == VALUE_NONE)
        return err_say(e, "%.100s: --%s takes no value", word, entry->name);
    /*
     * With names after one dash, musl reads an unknown name as letters, and refuses the first one.
     */
    bool whole_word = table->single_dash && word[1] == optopt;
    if (optopt != 0 && !entry && !whole_word)
        return err_say(e, "unknown option -%c; --help lists the options", optopt);
    return suggest_option(table, word, e);
}

/*
 * Finds the value of an option that may have it in a separate word ("-y s"), which getopt does not
 * support. Returns the value, and skips the next word if that is one of the option's words.
 */
static const char *detached_value(const struct option_entry *entry, int argc, char *const argv[])
{
    if (!(entry->quirks & OPTION_DETACHED) || optarg || optind >= argc)
        return optarg;
    for (const char *const *word = entry->words; *word; word++)
        if (strcmp(argv[optind], *word) == 0)
            return argv[optind++];
    return NULL;
}

/*
 * Undoes "-fb": only a number can be the value of -f, so the rest of the word are further letters.
 * Changes the word so that it begins with them, and lets getopt read it again.
 */
static void return_bundle(char *argv[])
{
    optarg[-1] = '-';
    argv[--optind] = optarg - 1;
    optarg = NULL;
}

static bool is_bundle(const struct option_entry *entry, const char *word)
{
    return (entry->quirks & OPTION_TAKES_NUMBERS) && optarg && strncmp(word, "--", 2) != 0 &&
           (*optarg < '0' || *optarg > '9');
}

/*
 * Changes "-html", which getopt would read as -h -t -m -l, to "--html", whose text is in `spelled`.
 * At most one option of a table has this quirk.
 */
static void accept_single_dash(const struct option_table *table, int argc, char *argv[],
                               char spelled[static SINGLE_DASH_NAME + 3])
{
    for (size_t row = 0; row < table->count; row++) {
        const struct option_entry *entry = &table->entries[row];
        if (!(entry->quirks & OPTION_SINGLE_DASH))
            continue;
        snprintf(spelled, SINGLE_DASH_NAME + 3, "--%s", entry->name);
        for (int i = 1; i < argc; i++)
            if (strcmp(argv[i], spelled + 1) == 0)
                argv[i] = spelled;
    }
}

/* Takes the words after "--", or all operands of a program that accepts none. */
static int take_rest(const struct option_table *table, int argc, char *argv[], void *settings,
                     struct err *e)
{
    if (optind < argc && !table->operand)
        return err_say(e, "unexpected argument '%.100s'; --help lists the options", argv[optind]);
    int rc = 0;
    while (rc == 0 && optind < argc)
        rc = table->operand(settings, argv[optind++], e);
    return rc;
}

static int take_option(const struct option_table *table, int code, int argc, char *argv[],
                       void *settings, struct err *e)
{
    if (code == CODE_OPERAND)
        return table->operand(settings, optarg, e);
    const struct option_entry *entry = entry_of(table, code);
    if (is_bundle(entry, argv[optind - 1]))
        return_bundle(argv);
    return apply_option(settings, entry, detached_value(entry, argc, argv), e);
}

int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              struct err *e)
{
    struct getopt_form form;
    char spelled[SINGLE_DASH_NAME + 3];
    int (*next_code)(int, char *const[], const char *, const struct option *, int *) =
        table->single_dash ? getopt_long_only : getopt_long;
    form_init(&form, table);

    accept_single_dash(table, argc, argv, spelled);
    opterr = 0;
    optind = 0; /* makes getopt forget an earlier command line */
    for (;;) {
        const char *word = next_word(argc, argv);
        int code = next_code(argc, argv, form.letters, form.names, NULL);
        if (code == -1)
            return take_rest(table, argc, argv, settings, e);
        if (code == '?' || code == ':')
            return complain_of_word(table, code, word, e);
        int rc = take_option(table, code, argc, argv, settings, e);
        if (rc != 0)
            return rc;
    }
}

bool cli_is_called(int argc, char *const argv[], const char *name)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    return argc > 0 && strcmp(slash ? slash + 1 : argv[0], name) == 0;
}

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
