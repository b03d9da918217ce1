#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>

#include "cli/common_options.h"
#include "util/err.h"

/* What the small programs have in common. */

enum tool_action { TOOL_RUN, TOOL_HELP, TOOL_VERSION, TOOL_OPTIONS };

/* The options that each of them has; the first field of its settings. */
struct tool_settings {
    int action;        /* of enum tool_action */
    const char *user;  /* USER[:GROUP] to become; NULL: stay */
    const char *group; /* of those that measure */
};

/* The rows of those that are no setting. */
#define TOOL_HELP_OPTIONS                                                                          \
    {.letter = 'V',                                                                                \
     .name = "version",                                                                            \
     .kind = OPTION_SETS,                                                                          \
     .field = offsetof(struct tool_settings, action),                                              \
     .constant = TOOL_VERSION,                                                                     \
     .help = "print the version and exit"},                                                        \
        OPTION_ALL_OPTIONS(struct tool_settings, action, TOOL_OPTIONS),                            \
    {                                                                                              \
        .letter = 'h', .name = "help", .kind = OPTION_SETS,                                        \
        .field = offsetof(struct tool_settings, action), .constant = TOOL_HELP,                    \
        .help = "print this help and exit"                                                         \
    }

/*
 * Reads the command line into the settings, which begin with a struct tool_settings. Prints what
 * --help or --version asks for; *runs tells whether there is anything else to do. Returns 0, or
 * -EINVAL with a line in e.
 */
int tool_parse(const struct option_table *table, int argc, char *argv[],
               struct tool_settings *settings, bool *runs, struct err *e);

/*
 * Becomes the user that was asked for, and unless `quiet` says on standard error who that is.
 * Returns 0 or a negative errno.
 */
int tool_become(const struct tool_settings *settings, bool quiet, struct err *e);

#endif
