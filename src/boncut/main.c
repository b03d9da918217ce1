// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "boncut/commands.h"
#include "boncut/methods/method.h"
#include "cli/parser.h"
#include "storage/scratch.h"
#include "sys/program.h"
#include "tail/trace.h"

static int run_action(const struct settings *s, int *status, struct err *e)
{
    static boncut_command *const commands[COMMANDS] = {[COMMAND_WRITE] = boncut_write,
                                                       [COMMAND_CHECK] = boncut_check,
                                                       [COMMAND_AUDIT] = boncut_audit,
                                                       [COMMAND_CAMPAIGN] = boncut_campaign,
                                                       [COMMAND_FS_SHUTDOWN] = boncut_fs_shutdown};
    switch (s->action) {
    case ACTION_HELP:
    case ACTION_SHORT_HELP:
        cli_print_help(&option_table, s->action == ACTION_SHORT_HELP, stdout);
        return 0;
    case ACTION_VERSION:
        cli_print_version(stdout);
        return 0;
    case ACTION_OPTIONS:
        cli_print_options(&option_table, stdout);
        return 0;
    case ACTION_METHODS:
        method_print_all(stdout);
        return 0;
    default:
        if (!s->cleanup)
            return commands[s->command](s, status, e);
        tail_trace_cleanup();
        return cleanup_directory(s->directory, s->trusts_directory, e);
    }
}

static int boncut(int argc, char *argv[], struct err *e)
{
    static struct settings settings;
    int status = EXIT_SUCCESS;
    int rc = options_parse(argc, argv, &settings, e);
    if (rc == 0)
        rc = run_action(&settings, &status, e);
    return rc == 0 ? status : rc;
}

int main(int argc, char *argv[])
{
    return program_run(argc, argv, boncut);
}
