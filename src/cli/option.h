#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * The options of a program, as data: one table feeds the parser, --help and the shell completions.
 * The options set fields of a struct that belongs to the program; this folder knows it only as a
 * pointer and by the offsets of its fields.
 */

/* Whether an option takes a value; an OPTIONAL one must be attached (-f300, --fast=300). */
enum option_value { VALUE_NONE, VALUE_REQUIRED, VALUE_OPTIONAL };

/* What happens to the value. Each kind but OPTION_CUSTOM sets a field of the type named here. */
enum option_kind {
    OPTION_CUSTOM, /* `set` decides */
    OPTION_FLAG,   /* bool: becomes true */
    OPTION_COUNT,  /* struct given: a whole number from `min` to `max` */
    OPTION_SIZE,   /* struct given, in bytes: up to `max`; a bare number counts units of `unit` */
    OPTION_ROUNDED_SIZE, /* the same; a fraction is accepted, see units_parse_rounded_size() */
    OPTION_SECONDS,      /* struct given, in nanoseconds: from `min` on */
    OPTION_BOOLEAN,      /* bool: true without a value, else what the value says (go_parse_bool) */
    OPTION_DURATION,     /* struct given, in nanoseconds: a duration as in Go, from `min` on */
    OPTION_BYTES,        /* struct given: a size as in Go, from `min` up to `max` */
    OPTION_DECIMAL,      /* struct given, in billionths: from `min` up to `max` */
    OPTION_TEXT,         /* const char *: any text but an empty one */
    OPTION_WORD,         /* an enum: the place of the value in `words` */
    OPTION_SETS,         /* an enum: becomes `constant` */
    OPTION_COUNTS,       /* unsigned: the number of times that the option was given */
    OPTION_IGNORED,      /* nothing: accepted because old scripts give it */
};

/* What a shell offers for a value when it completes a command line. */
enum option_offer {
    OFFER_WORDS, /* one of `words`, if there are any */
    OFFER_LIST,  /* any of them, separated by commas */
    OFFER_FILES,
    OFFER_DIRECTORIES,
    OFFER_USERS,
    OFFER_GROUPS,
};

/* How old scripts spell an option that getopt_long(3) would take for something else. */
enum option_quirk {
    OPTION_TAKES_NUMBERS = 1, /* -fb means -f -b: only a number can be attached to the letter */
    OPTION_DETACHED = 2,      /* one of `words` may be a separate word: "-y s" */
    OPTION_SINGLE_DASH = 4,   /* -name means the same as --name */
    OPTION_SECRET = 8,        /* the value is overwritten in argv at once (cli_parse_go) */
};

/* One option: everything that the parser, --help and the completions need to know. */
struct option_entry {
    int letter;       /* 0: the option has only a long name */
    const char *name; /* long name; NULL: the option has only a letter */
    const char *alias;
    enum option_value value;
    const char *value_name; /* as --help shows it */
    const char *help;       /* NULL: accepted, but not listed by --help */
    const char *group;    /* heading above this option in --help; NULL: the same group as the option
                             before it */
    const char *accepted; /* what is accepted, for the message that refuses a value; unused by
                             OPTION_CUSTOM */
    unsigned quirks;      /* bits of enum option_quirk */
    /*
     * All possible values, with a NULL at the end; NULL: there is no fixed set. For OPTION_CUSTOM
     * they serve only the completions, and a word that ends in '=' or ':' is the beginning of a
     * value.
     */
    const char *const *words;
    enum option_offer offer;
    enum option_kind kind;
    size_t field; /* offset of the field in the settings */
    uint64_t min;
    uint64_t max;
    uint64_t unit;
    int constant;
    /*
     * Stores the value (NULL when there is none) in the settings. On refusal, e says what is
     * accepted; the parser puts the option's name and the value in front of it.
     */
    int (*set)(void *settings, const char *value, struct err *e);
};

/* All options of a program, in the order of --help. */
struct option_table {
    const struct option_entry *entries;
    size_t count;        /* at most OPTIONS_MOST */
    const char *usage;   /* the lines above the options in --help */
    const char *closing; /* the lines below them */
    /*
     * Reads an operand, a word that is no option, in its place among the options. Returns 0, or a
     * negative errno with a line in e. NULL: the program has no operands.
     */
    int (*operand)(void *settings, const char *word, struct err *e);
    enum option_offer operand_offer; /* what operands are; OFFER_WORDS: unknown */
    bool single_dash;   /* a long name may follow a single dash, too (getopt_long_only) */
    const char *dashes; /* precedes a long name in --help and messages; NULL: "--" */
};

#define OPTIONS_MOST 96

/*
 * Applies a value to the settings as the option's kind says. Returns 0 or -EINVAL, as `set` does.
 */
int option_apply(const struct option_entry *entry, void *settings, const char *value,
                 struct err *e);

#endif
