#ifndef BONNIE_CLI_HELP_H
#define BONNIE_CLI_HELP_H

#include <stdio.h>

/* Prints what --help prints. */
void cli_print_help(FILE *out);

/* Prints what --engine=help prints: every engine, and why it cannot be used if it cannot. */
void cli_print_engines(FILE *out);

/* Prints what --version prints. */
void cli_print_version(FILE *out);

#endif
