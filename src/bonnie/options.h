#ifndef BONNIE_OPTIONS_H
#define BONNIE_OPTIONS_H

#include "bonnie/settings.h"
#include "cli/option.h"

/* Every option of bonnie; what they set is a struct settings. */
extern const struct option_table option_table;

/*
 * Reads the command line into s, which it initialises first; argv and e are as for cli_parse().
 * Returns 0 or -EINVAL.
 */
int options_parse(int argc, char *argv[], struct settings *s, struct err *e);

#endif
