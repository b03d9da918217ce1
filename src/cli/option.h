// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"
#include "util/printable.h"

/* The options of a program as data, for the parser, --help and the completions. They set fields of
 * a struct of the program's, which this folder knows as a pointer and offsets. */

/* Whether an option has a value. A VALUE_OPTIONAL must be attached (-f300, --fast=300). */
enum option_value { VALUE_NONE, VALUE_REQUIRED, VALUE_OPTIONAL };

/* What an option does with its value: most kinds set a field of the type that is named first. */
enum option_kind {
    OPTION_CUSTOM,      /* `set` decides */
    OPTION_FLAG,        /* bool: becomes true */
    OPTION_BOOLEAN,     /* bool: true without a value, or what the value says, as in Go */
    OPTION_COUNT,       /* struct optional: a whole number from `min` to `max` */
    OPTION_DECIMAL,     /* struct optional, in billionths: from `min` to `max` */
    OPTION_SIZE,        /* struct optional, in bytes, from `min` to `max`, and a multiple of
                           `multiple`, if that is not 0; a bare number: `unit` */
    OPTION_DURATION,    /* struct optional, in ns, at least `min`; a bare number is in seconds */
    OPTION_TEXT,        /* const char *: one of `words`; with `accepted` or without words, any text,
                           which may be empty without `accepted` */
    OPTION_FILE,        /* const char *: the path of a file that is written; not the name of a
                           format, which somebody meant who asks for that format */
    OPTION_WORD,        /* an enum: index of the value in `words` */
    OPTION_OCCURRENCES, /* unsigned: number of times that the option was given */
    OPTION_IGNORED,     /* sets nothing; accepted because old scripts have it */
    OPTION_ANSWERS,     /* sets nothing: cli_parse() prints `constant`, an enum cli_answer */
};

/* What a program prints about itself instead of running. */
enum cli_answer { CLI_NONE, CLI_BRIEF, CLI_HELP, CLI_VERSION, CLI_OPTIONS, CLI_LIST };

/* What a shell offers when it completes the value of an option. */
enum option_offer {
    OFFER_WORDS, /* one of `words`, if there are any */
    OFFER_LIST,  /* several of `words`, separated by commas */
    OFFER_FILES,
    OFFER_DIRECTORIES,
    OFFER_USERS,
    OFFER_GROUPS,
};

/* A letter has one dash, a word has two, and may be cut short as long as it is one option's. */
enum option_style {
    STYLE_LETTERS,  /* letters may be joined: -qfb; a whole name after one dash is refused */
    STYLE_ONE_DASH, /* a name may follow one dash, too */
    STYLE_GO,       /* the same for whole names, and letters are never joined */
};

/* Where an option differs from the others. */
enum option_quirk {
    OPTION_TAKES_NUMBERS = 1, /* -fb means -f -b: only a number can be attached to -f */
    OPTION_DETACHED = 2,      /* one of `words` may be a separate word: "-y s" */
    OPTION_SINGLE_DASH = 4,   /* -name alone; --name may be another option */
    OPTION_SECRET = 8,        /* the value is overwritten in argv at once */
    OPTION_UNLISTED = 16,     /* hardly anybody needs it: the manual has it, but not --help */
};

struct option_entry {
    int letter;       /* 0: the option has only a long name */
    const char *name; /* long name; NULL: the option has only a letter */
    const char *alias;
    enum option_value value;
    const char *value_name; /* name of the value in --help */
    const char *help;       /* "%s" in it stands for `words`; NULL: --help does not list it */
    const char *group;      /* heading above it in --help; NULL: that of the option before */
    const char *accepted;   /* for messages; NULL: what the kind, the words and the limits say */
    const char *foreign;    /* names that it has in other programs, separated by commas */
    unsigned owners;        /* bits of those who have it (option_table.owners); 0: all */
    unsigned quirks;        /* bits of enum option_quirk */
    /* All possible values, which `help` and `list` as a value print; NULL: they are not a fixed
     * set. Of an OPTION_CUSTOM, a word that ends in '=' or ':' is the beginning of a value. */
    const char *const *words;
    void (*list)(FILE *out); /* prints the words with what they mean; NULL: one on each line */
    enum option_offer offer;
    enum option_kind kind;
    size_t field;      /* offset of the field in the settings */
    uint64_t min, max; /* max 0: no limit */
    uint64_t unit, multiple;
    int constant;
    /* Stores the value. Returns 0, or -EINVAL with what is accepted in e, if `accepted` is NULL. */
    int (*set)(void *field, const char *value, struct err *e);
};

struct option_table {
    const struct option_entry *entries; /* in the order of --help */
    size_t count;                       /* at most MAX_OPTIONS */
    const char *usage;                  /* lines above the options in --help */
    const char *closing;                /* lines below the options in --help */
    const char *brief;   /* the text of -h, at most 25 lines; also of --help if there is no usage */
    const char *version; /* what --version prints before the number; NULL: the program's name */
    const char *const *owners;     /* names of the bits in option_entry.owners; NULL: none */
    const char *neighbour;         /* another program of the suite */
    const char *neighbour_options; /* its options that this one lacks, separated by commas */
    /* takes an operand, in its turn; returns 0 or a negative errno; NULL: there are none */
    int (*operand)(void *settings, const char *word, struct err *e);
    /* name of an option whose value may also be given once as an operand; NULL: there is none */
    const char *operand_name;
    enum option_offer operand_offer; /* what operands are; OFFER_WORDS: unknown */
    enum option_style style;
};

/* What precedes a long name in --help and messages. */
static inline const char *option_dashes(const struct option_table *table)
{
    return table->style == STYLE_GO ? "-" : "--";
}

#define MAX_OPTIONS 96

/* Sets a field of the settings, as the kind says. Returns 0, or -EINVAL with what is accepted. */
int option_apply(const struct option_entry *entry, void *settings, const char *value,
                 struct err *e);

/* The option's text in --help. */
struct label_text option_help(const struct option_entry *entry);

/* A number that the user may have left out. */
struct optional {
    bool given;
    uint64_t value;
};

static inline uint64_t optional_or(struct optional g, uint64_t otherwise)
{
    return g.given ? g.value : otherwise;
}

/* Parse values. They return 0, or -EINVAL with `accepted` in e; NULL: the entry says it. */

/* A whole number from min to max. */
int value_count(struct optional *out, const char *value, uint64_t min, uint64_t max,
                const char *accepted, struct err *e);
/* A size from min to max. A number without a suffix is in units of `unit` bytes. */
int value_size(struct optional *out, const char *value, uint64_t unit, uint64_t min, uint64_t max,
               const char *accepted, struct err *e);
/* A duration; a number without a unit is in seconds. */
int value_duration(struct optional *out, const char *value, uint64_t min, const char *accepted,
                   struct err *e);
/* Yes or no, as Go's flag package spells them. */
int value_boolean(bool *out, const char *value, struct err *e);
/* Any text, which may be empty only if `accepted` is NULL. */
int value_text(const char **out, const char *value, const char *accepted, struct err *e);

/* The index of `value` in a list of words that ends with NULL; -1: it is not in the list. */
int value_word(const char *value, const char *const words[]);

/* Calls `take` with a copy of each word of a comma-separated list. Refuses the list when `take`
 * returns false, or when a word has VALUE_WORD characters or more. */
#define VALUE_WORD 32
int value_list(void *settings, const char *list, bool (*take)(void *settings, char *word),
               const char *accepted, struct err *e);
