#ifndef BONCUT_OPTIONS_H
#define BONCUT_OPTIONS_H

#include "boncut/settings.h"
#include "cli/option.h"

extern const struct option_table option_table;

/* Reads the command line. Returns 0, or -EINVAL with a line in e. */
int options_parse(int argc, char *argv[], struct settings *s, struct err *e);

#endif
