#include "cli/parse.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

/* getopt's name for the option in row i of the table: its letter, or a number no letter has. */
#define LONG_ONLY_BASE 256
#define MAX_OPTIONS    64

/* What getopt_long wants to know, made from the option table. */
struct getopt_form {
    char letters[3 * MAX_OPTIONS + 2];
    struct option names[2 * MAX_OPTIONS + 1];
};

static int code_of(size_t row)
{
    int letter = option_table[row].letter;
    return letter ? letter : LONG_ONLY_BASE + (int)row;
}

static const struct option_entry *entry_of(int code)
{
    for (size_t i = 0; i < option_count; i++)
        if (code_of(i) == code)
            return &option_table[i];
    return NULL;
}

static void form_init(struct getopt_form *form)
{
    static const int has_argument[] = {
        [VALUE_NONE] = no_argument,
        [VALUE_REQUIRED] = required_argument,
        [VALUE_OPTIONAL] = optional_argument,
    };
    char *letter = form->letters;
    struct option *name = form->names;

    *letter++ = ':'; /* tell a missing value from an unknown option */
    for (size_t i = 0; i < option_count; i++) {
        const struct option_entry *entry = &option_table[i];
        if (entry->letter) {
            *letter++ = (char)entry->letter;
            for (int colons = has_argument[entry->value]; colons > 0; colons--)
                *letter++ = ':';
        }
        const char *const both[] = {entry->name, entry->alias};
        for (size_t n = 0; n < 2; n++)
            if (both[n])
                *name++ = (struct option){both[n], has_argument[entry->value], NULL, code_of(i)};
    }
    *letter = '\0';
    *name = (struct option){0};
}

/* The option as the user may know it: "-s", "--tests" or "-s (--size)". */
static void describe(const struct option_entry *entry, char *text, size_t size)
{
    if (entry->letter && entry->name)
        snprintf(text, size, "-%c (--%s)", entry->letter, entry->name);
    else if (entry->letter)
        snprintf(text, size, "-%c", entry->letter);
    else
        snprintf(text, size, "--%s", entry->name);
}

static int refuse(const struct option_entry *entry, const char *given, const char *accepted,
                  struct err *e)
{
    char name[64];
    describe(entry, name, sizeof name);
    if (given)
        return err_say(e, "%s: '%.100s' is not accepted, it takes %s", name, given, accepted);
    return err_say(e, "%s: needs a value: %s", name, accepted);
}

static int apply(struct settings *s, const struct option_entry *entry, const char *value,
                 struct err *e)
{
    struct err reason;
    err_init(&reason);
    if (entry->set(s, value, &reason) == 0)
        return 0;
    return refuse(entry, value, reason.text, e);
}

/* What getopt could not make sense of: an unknown option, or a value too many or too few. */
static int complain(int code, const char *word, struct err *e)
{
    const struct option_entry *entry = entry_of(optopt);
    if (code == ':' && entry)
        return refuse(entry, NULL, entry->value_name, e);
    if (entry && entry->value == VALUE_NONE)
        return err_say(e, "%.100s: --%s takes no value", word, entry->name);
    if (optopt != 0 && strncmp(word, "--", 2) != 0)
        return err_say(e, "unknown option -%c; --help lists the options", optopt);
    return err_say(e, "unknown or ambiguous option %.100s; --help lists the options", word);
}

/*
 * Bonnie++'s -y has an optional value that may stand apart ("-y s"), which getopt does not know.
 * Returns the value, taking the next word when it is exactly one of the two.
 */
static const char *detached_value(int code, int argc, char *const argv[])
{
    if (code != 'y' || optarg || optind >= argc)
        return optarg;
    const char *next = argv[optind];
    if (strcmp(next, "s") != 0 && strcmp(next, "p") != 0)
        return NULL;
    optind++;
    return next;
}

/*
 * "-fb": only a number can be the value of -f, so these are further letters. The word is made to
 * begin with them, and getopt to read it once more.
 */
static void return_bundle(char *argv[])
{
    optarg[-1] = '-';
    argv[--optind] = optarg - 1;
    optarg = NULL;
}

static bool is_bundle(int code, const char *word)
{
    return code == 'f' && optarg && strncmp(word, "--", 2) != 0 && (*optarg < '0' || *optarg > '9');
}

/* Bonnie's own -html, which getopt would take for -h -t -m -l, becomes --html. */
static void accept_classic_html(int argc, char *argv[])
{
    static char modern[] = "--html";
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-html") == 0)
            argv[i] = modern;
}

int cli_parse(int argc, char *argv[], struct settings *s, struct err *e)
{
    struct getopt_form form;
    form_init(&form);
    memset(s, 0, sizeof *s);
    s->directory = ".";

    accept_classic_html(argc, argv);
    opterr = 0;
    optind = 0; /* glibc: forget any earlier scan */
    for (;;) {
        int code = getopt_long(argc, argv, form.letters, form.names, NULL);
        if (code == -1)
            break;
        if (code == '?' || code == ':')
            return complain(code, argv[optind - 1], e);
        if (is_bundle(code, argv[optind - 1]))
            return_bundle(argv);
        int rc = apply(s, entry_of(code), detached_value(code, argc, argv), e);
        if (rc != 0)
            return rc;
    }
    if (optind < argc)
        return err_say(e, "unexpected argument '%.100s'; --help lists the options", argv[optind]);
    return 0;
}
