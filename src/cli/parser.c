#include "cli/parser.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"

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
