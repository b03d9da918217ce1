// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

#include "cli/option.h"
#include "util/err.h"

/*
 * Reads a command line with flags as programs written in Go spell them: a name after one dash or
 * two, and its value after `=` or in the next word. An OPTION_BOOLEAN takes only `true` or `false`
 * from the next word; other values must follow `=`. No word after `--` is an option.
 *
 * `operand` is the name of an option whose value may also be given once as a word without a dash;
 * further options may follow it. NULL: no such word is accepted. given[i] becomes true if entry i
 * of the table was given.
 *
 * The settings will point into argv. The value of an OPTION_SECRET is overwritten there, so its
 * `set` must copy it. Returns 0, or -EINVAL with a line in e that names the option, what was given
 * (unless it is a secret) and what is accepted.
 */
int cli_parse_go(const struct option_table *table, const char *operand, int argc, char *argv[],
                 void *settings, bool given[OPTIONS_MOST], struct err *e);

/*
 * Reads the command line into the settings, which the caller has initialised. They will point into
 * argv, whose words may be reordered and changed. Returns 0, or -EINVAL with a line in e that names
 * the option, what was given and what is accepted.
 */
int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              struct err *e);

/*
 * Whether the user called the program by that name: argv[0], or the part of it after the last
 * slash.
 */
bool cli_is_called(int argc, char *const argv[], const char *name);
