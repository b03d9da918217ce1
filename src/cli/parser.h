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

/*
 * Prints the table in a form for programs; scripts/completions makes shell completions from it.
 * Each line consists of fields separated by tabs. Any field but the first may be empty. The first
 * line describes the program:
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
void cli_print_options(const struct option_table *table, FILE *out);

/* is_brief: the text of -h. */
void cli_print_help(const struct option_table *table, bool is_brief, FILE *out);

void cli_print_version(FILE *out);
