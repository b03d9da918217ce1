#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * The options of a program, as data: one table feeds the parser, --help and the shell completions.
 * What an option sets lies in a struct of the program's own, which these parts know only as a
 * pointer and by the offsets of its fields.
 */

/* Whether an option takes a value; an OPTIONAL one must be attached (-f300, --fast=300). */
enum option_value { VALUE_NONE, VALUE_REQUIRED, VALUE_OPTIONAL };

/* What happens to the value. Each kind but OPTION_CUSTOM has a field of a certain type. */
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
    OPTION_COUNTS,       /* unsigned: how often it was given */
    OPTION_IGNORED,      /* nothing: old scripts give it */
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
    OPTION_TAKES_NUMBERS = 1, /* -fb is -f -b: only a number can be attached to the letter */
    OPTION_DETACHED = 2,      /* one of `words` may stand apart: "-y s" */
    OPTION_SINGLE_DASH = 4,   /* -name means the same as --name */
    OPTION_SECRET = 8,        /* the value is overwritten in argv at once (cli_parse_go) */
};

/* One option: all that the parser, --help and completion know of it. */
struct option_entry {
    int letter;       /* 0: long name only */
    const char *name; /* long name; NULL: letter only */
    const char *alias;
    enum option_value value;
    const char *value_name; /* as --help shows it */
    const char *help;       /* NULL: accepted, but not advertised */
    const char *group;      /* heading in --help above this option; NULL: the one before */
    const char *accepted;   /* what it takes, for a refusal; not of OPTION_CUSTOM */
    unsigned quirks;        /* of enum option_quirk */
    /* What the value can be, up to a NULL; NULL: not a fixed set. Of OPTION_CUSTOM the parser does
     * not know it, and a word that ends in '=' or ':' is the beginning of a value. */
    const char *const *words;
    enum option_offer offer;
    enum option_kind kind;
    size_t field; /* its offset in the settings */
    uint64_t min;
    uint64_t max;
    uint64_t unit;
    int constant;
    /*
     * Takes the value (NULL when there is none) into the settings. A refusal says what is
     * accepted; the parser puts the option's name and the value in front of it.
     */
    int (*set)(void *settings, const char *value, struct err *e);
};

/* All options of a program, in the order of --help. */
struct option_table {
    const struct option_entry *entries;
    size_t count;        /* OPTIONS_MOST at most */
    const char *usage;   /* the lines above the options */
    const char *closing; /* and those below */
    /*
     * Takes a word that is no option, in its place among the options. Returns 0, or a negative
     * errno with a line in e. NULL: there is no such word.
     */
    int (*operand)(void *settings, const char *word, struct err *e);
    enum option_offer operand_offer; /* what such words are; OFFER_WORDS: not known */
    bool single_dash;   /* a long name may stand behind one dash, too (getopt_long_only) */
    const char *dashes; /* in front of a long name in --help and messages; NULL: "--" */
};

#define OPTIONS_MOST 96

/* Has an option do to the settings what its kind says. Returns 0 or -EINVAL, as `set` does. */
int option_apply(const struct option_entry *entry, void *settings, const char *value,
                 struct err *e);

#endif
