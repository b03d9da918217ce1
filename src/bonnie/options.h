#ifndef BONNIE_OPTIONS_H
#define BONNIE_OPTIONS_H

#include "bonnie/settings.h"
#include "cli/option.h"

/* All options of bonnie. They set a struct settings. */
extern const struct option_table option_table;

/*
 * Initialises s, and reads the command line into it. argv and e are as for cli_parse(). Returns 0
 * or -EINVAL.
 */
int options_parse(int argc, char *argv[], struct settings *s, struct err *e);

#endif
