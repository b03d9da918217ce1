#ifndef CLI_COMMON_OPTIONS_H
#define CLI_COMMON_OPTIONS_H

#include <stddef.h>

#include "cli/option.h"

/*
 * Options that several programs have, as rows of their tables. `settings` is the struct that they
 * set; its fields have the names of the options.
 */
#define OPTION_DIRECTORY(settings)                                                                 \
    {                                                                                              \
        .letter = 'd', .name = "directory", .value = VALUE_REQUIRED, .value_name = "DIR",          \
        .kind = OPTION_TEXT, .field = offsetof(settings, directory), .offer = OFFER_DIRECTORIES,   \
        .accepted = "the path of a directory", .help = "scratch directory (default: .)"            \
    }

#define OPTION_USER(settings)                                                                      \
    {                                                                                              \
        .letter = 'u', .name = "user", .value = VALUE_REQUIRED, .value_name = "USER[:GROUP]",      \
        .kind = OPTION_TEXT, .field = offsetof(settings, user), .offer = OFFER_USERS,              \
        .accepted = "USER or USER:GROUP, names or numbers",                                        \
        .help = "give up root and become this user"                                                \
    }

#define OPTION_GROUP(settings)                                                                     \
    {                                                                                              \
        .letter = 'g', .name = "group", .value = VALUE_REQUIRED, .value_name = "GROUP",            \
        .kind = OPTION_TEXT, .field = offsetof(settings, group), .offer = OFFER_GROUPS,            \
        .accepted = "a group, by name or number", .help = "become this group"                      \
    }

/* -V and -h. They set `member` to `action`. */
#define OPTION_VERSION(settings, member, action)                                                   \
    {                                                                                              \
        .letter = 'V', .name = "version", .kind = OPTION_SETS,                                     \
        .field = offsetof(settings, member), .constant = (action),                                 \
        .help = "print the version and exit"                                                       \
    }

#define OPTION_HELP(settings, member, action)                                                      \
    {                                                                                              \
        .letter = 'h', .name = "help", .kind = OPTION_SETS, .field = offsetof(settings, member),   \
        .constant = (action), .help = "print this help and exit"                                   \
    }

/*
 * The option that prints the whole table (cli_print_options()) for making shell completions. It is
 * for builds and not for users, so --help does not list it. It sets `member` to `action`.
 */
#define OPTION_ALL_OPTIONS(settings, member, action)                                               \
    {                                                                                              \
        .name = "all-options", .kind = OPTION_SETS, .field = offsetof(settings, member),           \
        .constant = (action)                                                                       \
    }

#endif
