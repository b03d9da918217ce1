// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "cli/option.h"

/* Reads the command line into the settings, which the caller has initialised, and which will point
 * into argv; the value of an OPTION_SECRET is overwritten there, so its `set` must copy it.
 * given[i] becomes whether entry i was given; NULL: not wanted. Returns 0; CLI_ANSWERED if help,
 * the version or a list was asked for, and printed on `out` (NULL: not); or -EINVAL with a line in
 * e. */
#define CLI_ANSWERED 1
int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              bool given[MAX_OPTIONS], FILE *out, struct err *e);

/* Refuses an option that is not `owner`'s, one of the table's owners. */
int cli_check_owner(const struct option_table *table, const struct option_entry *entry,
                    const char *owner, struct err *e);

/* The nearest word of a list to one that is perhaps misspelt; NULL: none is near. */
const char *cli_nearest(const char *const words[], const char *given);

/* Whether the user called the program by that name, with any path. */
bool cli_is_called(int argc, char *const argv[], const char *name);

/* Prints an answer; `listed` is the option whose words CLI_LIST prints. CLI_OPTIONS is the table
 * for scripts/completions: fields separated by tabs, which may be empty. The first line is
 *
 *     program NAME DASHES OFFER
 *
 * DASHES precede long names; OFFER says what operands are. A line follows for each option that has
 * a text for --help:
 *
 *     option LETTER NAME ALIAS VALUE OFFER WORDS VALUE_NAME HELP
 *
 * VALUE is none, required, optional (attached only) or boolean; OFFER is words, list, files,
 * directories, users, groups, or empty: nothing is known; WORDS are separated by blanks. */
void cli_answer(const struct option_table *table, enum cli_answer answer,
                const struct option_entry *listed, FILE *out);
