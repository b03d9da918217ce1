#ifndef CLI_OPTION_LIST_H
#define CLI_OPTION_LIST_H

#include <stdio.h>

#include "cli/option.h"

/*
 * Prints a table for programs to read; scripts/completions makes completions for shells of it. A
 * line is of fields with a tab between them, of which any but the first may be empty. The first
 * line is for the program:
 *
 *     program NAME DASHES OFFER
 *
 * DASHES are in front of long names, OFFER is that of words that are no option (none, files). Then
 * comes a line for each option that --help has, in its order:
 *
 *     option LETTER NAME ALIAS VALUE OFFER WORDS VALUE_NAME HELP
 *
 * VALUE is none, required, optional (attached only) or boolean; OFFER is words, list, files,
 * directories, users or groups, and empty where nothing is known of the value; WORDS have blanks
 * between them.
 */
void cli_print_options(const struct option_table *table, FILE *out);

#endif
