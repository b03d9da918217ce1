// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"

/*
 * Starts of the rows of an option table (option.h), for the one file that has the table: with a
 * value, with a setter of a field or of the settings, true or false, the path of a file, another
 * action. The file defines FIELD(member) as the offset of that member in its settings.
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
