#ifndef BONNIE_GO_OPTIONS_H
#define BONNIE_GO_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "bonnie/settings.h"
#include "cli/option.h"
#include "util/err.h"

/*
 * GoBonnieGo's command line: its options have a single dash (-dir D, -runs=2, -json), and `-dir` is
 * `--directory`. It also accepts all options of bonnie.
 */

/* Whether the program was called by GoBonnieGo's name, or with its preset. */
bool go_options_are_meant(int argc, char *const argv[]);

/* Reads such a command line, as cli_parse() would. `plain` is the table of bonnie's options. */
int go_options_parse(const struct option_table *plain, int argc, char *argv[], struct settings *s,
                     struct err *e);

/* Print the texts of -help and -version in that form. */
void go_options_print_help(const struct option_table *plain, FILE *out);
void go_options_print_version(FILE *out);

#endif
