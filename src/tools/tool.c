// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/tool.h"

#include <stdio.h>

#include "cli/help.h"
#include "cli/parser.h"
#include "sys/privilege.h"

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

int tool_become(const struct tool_settings *settings, bool quiet, struct err *e)
{
    struct identity identity;
    int rc = privilege_resolve(&identity, settings->user, settings->group, e);
    return rc == 0 ? privilege_become(&identity, quiet, e) : rc;
}
