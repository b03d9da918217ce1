#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/option.h"

/* Prints the text of --help. */
void cli_print_help(const struct option_table *table, FILE *out);

/* Prints the text of --version. */
void cli_print_version(FILE *out);

#endif
