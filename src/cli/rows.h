// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"

/*
 * Macros that begin a row of an option table (option.h), for the file that has the table and
 * defines FIELD(member) as the member's offset in its settings. The option sets a member to its
 * value (VALUE, PATH) or to a constant (SETS), calls a setter for a member (CUSTOM) or for all
 * settings (SETTER; OPTIONAL if it may have no value), is true if it is given (FLAG) or if it says
 * so (BOOLEAN), or asks for something else than a run (ACTION).
 */
#define VALUE(option, word, what, member)                                                          \
    .name = option, .value = VALUE_REQUIRED, .value_name = word, .kind = what,                     \
    .field = FIELD(member)
#define CUSTOM(option, word, setter, member)                                                       \
    VALUE(option, word, OPTION_CUSTOM, member), .set = setter
#define SETTER(option, word, setter)                                                               \
    .name = option, .value = VALUE_REQUIRED, .value_name = word, .set = setter
#define OPTIONAL(option, word, setter)                                                             \
    .name = option, .value = VALUE_OPTIONAL, .value_name = word, .set = setter
#define FLAG(option, member)    .name = option, .kind = OPTION_FLAG, .field = FIELD(member)
#define BOOLEAN(option, member) .name = option, .kind = OPTION_BOOLEAN, .field = FIELD(member)
#define PATH(option, word, member)                                                                 \
    VALUE(option, word, OPTION_TEXT, member), .accepted = "the path of a file", .offer = OFFER_FILES
#define SETS(option, member, what)                                                                 \
    .name = option, .kind = OPTION_SETS, .field = FIELD(member), .constant = what
#define ACTION(option, what) SETS(option, action, what)

/* Rows that several programs have. They set a member; those that print something, to `what`. */
#define OPTION_DIRECTORY(member)                                                                   \
    .letter = 'd', VALUE("directory", "DIR", OPTION_TEXT, member), .offer = OFFER_DIRECTORIES,     \
    .accepted = "the path of a directory", .help = "scratch directory (default: .)"
#define OPTION_TRUST(member)                                                                       \
    FLAG("trust-directory", member),                                                               \
        .help = "not as root: use a directory on a share without owners and modes, too"
#define OPTION_USER(member)                                                                        \
    .letter = 'u', VALUE("user", "USER[:GROUP]", OPTION_TEXT, member), .offer = OFFER_USERS,       \
    .accepted = "USER or USER:GROUP, names or numbers",                                            \
    .help = "give up root and become this user"
#define OPTION_GROUP(member)                                                                       \
    .letter = 'g', VALUE("group", "GROUP", OPTION_TEXT, member), .offer = OFFER_GROUPS,            \
    .accepted = "a group, by name or number", .help = "become this group"
#define OPTION_VERSION(member, what)                                                               \
    SETS("version", member, what), .letter = 'V', .help = "print the version and exit"
#define OPTION_HELP(member, what)                                                                  \
    SETS("help", member, what), .letter = 'h', .help = "print this help and exit"
/* prints the whole table (cli_print_options()); for builds, so --help does not list it */
#define OPTION_ALL_OPTIONS(member, what) SETS("all-options", member, what)
