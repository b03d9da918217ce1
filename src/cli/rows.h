// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"

/*
 * Macros that begin a row of an option table (option.h), for the file that has the table and
 * defines FIELD(member) as the member's offset in its settings. The option sets a member to its
 * value (VALUE, PATH), calls a setter for a member (CUSTOM) or for all settings (SETTER), is true
 * if it is given (FLAG) or if it says so (BOOLEAN), or asks for something else than a run (ACTION).
 */
#define VALUE(option, word, what, member)                                                          \
    .name = option, .value = VALUE_REQUIRED, .value_name = word, .kind = what,                     \
    .field = FIELD(member)
#define CUSTOM(option, word, setter, member)                                                       \
    VALUE(option, word, OPTION_CUSTOM, member), .set = setter
#define SETTER(option, word, setter)                                                               \
    .name = option, .value = VALUE_REQUIRED, .value_name = word, .set = setter
#define FLAG(option, member)    .name = option, .kind = OPTION_FLAG, .field = FIELD(member)
#define BOOLEAN(option, member) .name = option, .kind = OPTION_BOOLEAN, .field = FIELD(member)
#define PATH(option, word, member)                                                                 \
    VALUE(option, word, OPTION_TEXT, member), .accepted = "the path of a file", .offer = OFFER_FILES
#define ACTION(option, what)                                                                       \
    .name = option, .kind = OPTION_SETS, .field = FIELD(action), .constant = what
