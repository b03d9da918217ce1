#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>

#include "cli/common_options.h"
#include "util/err.h"

/* What the small programs share. */

enum tool_action { TOOL_RUN, TOOL_HELP, TOOL_VERSION, TOOL_OPTIONS };

/* The options that each of them has. This must be the first field of its settings. */
struct tool_settings {
    int action;        /* of enum tool_action */
    const char *user;  /* USER[:GROUP] to change to; NULL: none */
    const char *group; /* for programs that measure */
};

/* The rows of options that are no settings. */
#define TOOL_HELP_OPTIONS                                                                          \
    OPTION_VERSION(struct tool_settings, action, TOOL_VERSION),                                    \
        OPTION_ALL_OPTIONS(struct tool_settings, action, TOOL_OPTIONS),                            \
        OPTION_HELP(struct tool_settings, action, TOOL_HELP)

/*
 * Reads the command line into the settings, which begin with a struct tool_settings. Prints what
 * --help or --version asks for; *runs is false when there is nothing else to do. Returns 0, or
 * -EINVAL with a line in e.
 */
int tool_parse(const struct option_table *table, int argc, char *argv[],
               struct tool_settings *settings, bool *runs, struct err *e);

/*
 * Changes to the user that was asked for and, unless `quiet`, reports it on standard error. Returns
 * 0 or a negative errno.
 */
int tool_become(const struct tool_settings *settings, bool quiet, struct err *e);

#endif
