#ifndef BONNIE_CLI_PARSE_H
#define BONNIE_CLI_PARSE_H

#include "cli/settings.h"
#include "util/err.h"

/*
 * Reads the command line into s, which it initialises first. The settings point into argv, whose
 * words may be reordered and changed.
 * Returns 0, or -EINVAL with one line in e that names the option, what was given and what is
 * accepted.
 */
int cli_parse(int argc, char *argv[], struct settings *s, struct err *e);

#endif
