#ifndef BONNIE_CLI_OPTIONS_H
#define BONNIE_CLI_OPTIONS_H

#include <stddef.h>

#include "cli/settings.h"
#include "util/err.h"

/* Whether an option takes a value; an OPTIONAL one must be attached (-f300, --fast=300). */
enum option_value { VALUE_NONE, VALUE_REQUIRED, VALUE_OPTIONAL };

/* One option: all that the parser and --help know of it. */
struct option_entry {
    int letter;       /* 0: long name only */
    const char *name; /* long name; NULL: letter only */
    const char *alias;
    enum option_value value;
    const char *value_name; /* as --help shows it */
    const char *help;       /* NULL: accepted, but not advertised */
    /*
     * Takes the value (NULL when there is none) into the settings. A refusal says what is
     * accepted; the parser puts the option's name and the value in front of it.
     */
    int (*set)(struct settings *s, const char *value, struct err *e);
};

/* Every option, in the order of --help. */
extern const struct option_entry option_table[];
extern const size_t option_count;

#endif
