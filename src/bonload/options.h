#ifndef BONLOAD_OPTIONS_H
#define BONLOAD_OPTIONS_H

#include "bonload/plan/settings.h"
#include "cli/option.h"
#include "util/err.h"

/* The options of the program, in the order of --help. */
extern const struct option_table option_table;

/*
 * Reads the command line into settings, and initialises them. They point into argv, in which
 * secrets have been overwritten. Returns 0, or -EINVAL with a line in e.
 */
int options_parse(int argc, char *argv[], struct settings *settings, struct err *e);

#endif
