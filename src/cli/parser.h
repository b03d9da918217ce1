// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

#include "cli/option.h"
#include "util/err.h"

/*
 * Reads the command line into the settings, which the caller has initialised, in the style of the
 * table. No word after `--` is an option. given[i] becomes true if entry i of the table was given;
 * NULL: not wanted.
 *
 * The settings will point into argv. The value of an OPTION_SECRET is overwritten there, so its
 * `set` must copy it. Returns 0, or -EINVAL with a line in e that names the option, what was given
 * (unless it is a secret) and what is accepted.
 */
int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              bool given[OPTIONS_MOST], struct err *e);

/* Writes an option as messages name it: "-s (--size)". */
#define OPTION_NAME 64

void option_name(char name[OPTION_NAME], const struct option_table *table,
                 const struct option_entry *entry);

/*
 * Whether the user called the program by that name: argv[0], or the part of it after the last
 * slash.
 */
bool cli_is_called(int argc, char *const argv[], const char *name);
