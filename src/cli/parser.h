#ifndef CLI_PARSER_H
#define CLI_PARSER_H

#include <stdbool.h>

#include "cli/option.h"
#include "util/err.h"

/*
 * Reads the command line into the settings, which the caller has initialised. They will point into
 * argv, whose words may be reordered and changed. Returns 0, or -EINVAL with a line in e that names
 * the option, what was given and what is accepted.
 */
int cli_parse(const struct option_table *table, int argc, char *argv[], void *settings,
              struct err *e);

/*
 * Whether the user called the program by that name: argv[0], or the part of it after the last
 * slash.
 */
bool cli_is_called(int argc, char *const argv[], const char *name);

#endif
