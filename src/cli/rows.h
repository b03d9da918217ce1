// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"

/* Macros that begin a row of an option table, for the file that defines FIELD(member) as the
 * member's offset in its settings. The option sets a member (VALUE, PATH, COUNT, DURATION), calls a
 * setter for a member (CUSTOM) or for all settings (SETTER; OPTIONAL if it may have no value), or
 * is true if it is given (FLAG) or if it says so (BOOLEAN). */
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
#define COUNT(option, word, member, least, most)                                                   \
    VALUE(option, word, OPTION_COUNT, member), .min = least, .max = most
#define DURATION(option, member, least) VALUE(option, "TIME", OPTION_DURATION, member), .min = least

/* Rows of several programs, with one text in all (tests/cli/grammar.t). They set a member. */
#define OPTION_DIRECTORY(member)                                                                   \
    .letter = 'd', VALUE("directory", "DIR", OPTION_TEXT, member), .offer = OFFER_DIRECTORIES,     \
    .foreign = "filename,if,of", .accepted = "the path of a directory",                            \
    .help = "scratch directory (default: .)"
#define OPTION_TRUST(member)                                                                       \
    FLAG("trust-directory", member),                                                               \
        .help = "trust all who can change or move a directory (not for root; see the manual)"
#define OPTION_USER(member)                                                                        \
    .letter = 'u', VALUE("user", "USER[:GROUP]", OPTION_TEXT, member), .offer = OFFER_USERS,       \
    .accepted = "USER or USER:GROUP, names or numbers",                                            \
    .help = "give up root and become this user"
#define OPTION_GROUP(member)                                                                       \
    .letter = 'g', VALUE("group", "GROUP", OPTION_TEXT, member), .offer = OFFER_GROUPS,            \
    .accepted = "a group, by name or number", .help = "become this group"
#define OPTION_QUIET(member)                                                                       \
    FLAG("quiet", member), .letter = 'q', .help = "print no progress and no advice"
#define OPTION_JSON_HELP    "print the report as JSON"
#define OPTION_JSON(member) FLAG("json", member), .help = OPTION_JSON_HELP
#define OUTPUT_FILE(option, word, member)                                                          \
    VALUE(option, word, OPTION_FILE, member), .offer = OFFER_FILES
#define OPTION_OUTPUT_AS(option, member)                                                           \
    OUTPUT_FILE(option, "FILE", member),                                                           \
        .letter = 'o', .accepted = "the path of a file",                                           \
        .help = "write the report to FILE, complete or not at all"
#define OPTION_OUTPUT(member) OPTION_OUTPUT_AS("output", member)
#define OPTION_HTML_AS(member, what)                                                               \
    OUTPUT_FILE("html", "PAGE", member), .accepted = what,                                         \
                                         .help = "also write the report as a page to PAGE"
#define OPTION_HTML(member) OPTION_HTML_AS(member, "the path of a page")
#define OPTION_LABEL(member)                                                                       \
    VALUE("label", "LABEL", OPTION_TEXT, member),                                                  \
        .letter = 'm', .help = "label of the results (default: host name)"
#define OPTION_SEED_HELP    "seed for everything random (default: the time)"
#define OPTION_VERBOSE_HELP "print more details on standard error"
#define OPTION_CLEANUP(member)                                                                     \
    FLAG("cleanup", member), .help = "remove the leftovers of killed runs, and exit"
#define ANSWER(option, what) .name = option, .kind = OPTION_ANSWERS, .constant = what
/* the last one prints the whole table (CLI_OPTIONS), for builds, so --help does not list it */
#define OPTIONS_ABOUT                                                                              \
    {ANSWER("version", CLI_VERSION), .letter = 'V', .help = "print the version and exit"},         \
        {ANSWER(NULL, CLI_BRIEF), .letter = 'h', .help = "print a short help and exit"},           \
        {ANSWER("help", CLI_HELP), .help = "print this help and exit"},                            \
    {                                                                                              \
        ANSWER("all-options", CLI_OPTIONS)                                                         \
    }
