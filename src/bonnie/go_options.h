#ifndef BONNIE_GO_OPTIONS_H
#define BONNIE_GO_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "bonnie/settings.h"
#include "cli/option.h"
#include "util/err.h"

/*
 * GoBonnieGo's command line: its options have a single dash (-dir D, -runs=2, -json), and `-dir`
 * stands for `--directory`. All options of this program are accepted as well.
 */

/* Whether the program was called by that name, or was given that preset. */
bool go_options_are_meant(int argc, char *const argv[]);

/* cli_parse() for such a command line; `plain` is the table of this program's options. */
int go_options_parse(const struct option_table *plain, int argc, char *argv[], struct settings *s,
                     struct err *e);

/* Print what -help and -version print in that form. */
void go_options_print_help(const struct option_table *plain, FILE *out);
void go_options_print_version(FILE *out);

#endif
