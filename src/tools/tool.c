// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/tool.h"

#include <stdio.h>

#include "cli/parser.h"

int tool_parse(const struct option_table *table, int argc, char *argv[],
               struct tool_settings *settings, bool *runs, struct err *e)
{
    int rc = cli_parse(table, argc, argv, settings, NULL, e);
    *runs = rc == 0 && settings->action == TOOL_RUN;
    if (rc == 0 && settings->action == TOOL_HELP)
        cli_print_help(table, false, stdout);
    if (rc == 0 && settings->action == TOOL_VERSION)
        cli_print_version(stdout);
    if (rc == 0 && settings->action == TOOL_OPTIONS)
        cli_print_options(table, stdout);
    return rc;
}
