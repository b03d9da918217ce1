// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/option.h"
#include "util/err.h"

/*
 * Reads the command line into the settings, which the caller has initialised, in the style of the
 * table. No word after `--` is an option. given[i] becomes true if entry i of the table was given;
 * NULL: not wanted.
 *
 * The settings will point into argv. The value of an OPTION_SECRET is overwritten there, so its
 * `set` must copy it. Returns 0; or CLI_ANSWERED if the command line asks for help, the version or
 * a list, which it has printed on `out`, unless that is NULL; or -EINVAL with a line in e that
 * names the option, what was given (unless it is a secret) and what is accepted.
 */
#define CLI_ANSWERED 1

int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              bool given[OPTIONS_MOST], FILE *out, struct err *e);

/*
 * Refuses an option that is not `owner`'s, one of the table's owners. Returns 0, or -EINVAL with a
 * line in e.
 */
int cli_check_owner(const struct option_table *table, const struct option_entry *entry,
                    const char *owner, struct err *e);

/* The nearest word of a list to one that is perhaps misspelt; NULL: none is near. */
const char *cli_nearest(const char *const words[], const char *given);

/*
 * Whether the user called the program by that name: argv[0], or the part of it after the last
 * slash.
 */
bool cli_is_called(int argc, char *const argv[], const char *name);

/*
 * Prints an answer; `listed` is the option whose words CLI_LIST prints. CLI_OPTIONS is the table in
 * a form for programs; scripts/completions makes shell completions from it. Each line consists of
 * fields separated by tabs. Any field but the first may be empty. The first line describes the
 * program:
 *
 *     program NAME DASHES OFFER
 *
 * DASHES precede long names; OFFER says what operands are (none, files). A line follows for each
 * option that has a text for --help, in the same order:
 *
 *     option LETTER NAME ALIAS VALUE OFFER WORDS VALUE_NAME HELP
 *
 * VALUE is none, required, optional (attached only) or boolean; OFFER is words, list, files,
 * directories, users or groups, and empty if nothing is known about the value; WORDS are separated
 * by blanks.
 */
void cli_answer(const struct option_table *table, enum cli_answer answer,
                const struct option_entry *listed, FILE *out);
