// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdio.h>

#include "cli/option.h"

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
