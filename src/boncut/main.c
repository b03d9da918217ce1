// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/options.h"
#include "cli/parser.h"
#include "storage/scratch.h"
#include "sys/output.h"
#include "sys/program.h"
#include "sys/stop.h"
#include "tail/trace.h"

static int boncut(int argc, char *argv[], struct err *e)
{
    static boncut_command *const commands[COMMANDS] = {[COMMAND_WRITE] = boncut_write,
                                                       [COMMAND_CHECK] = boncut_check,
                                                       [COMMAND_AUDIT] = boncut_audit,
                                                       [COMMAND_CAMPAIGN] = boncut_campaign,
                                                       [COMMAND_FS_SHUTDOWN] = boncut_fs_shutdown};
    static struct settings settings;
    const struct settings *s = &settings;
    struct output report = {0};
    int rc = options_parse(argc, argv, &settings, e);
    if (rc != 0)
        return rc == CLI_ANSWERED ? 0 : rc;
    path_trust_movers(s->trusts_directory);
    if (s->cleanup) {
        tail_trace_cleanup();
        return cleanup_directory(s->directory, s->trusts_directory, e);
    }
    path_await(s->directory);
    rc = stop_init(e);
    if (rc == 0)
        rc = output_open_stdout(&report, s->output, e);
    if (rc == 0)
        rc = commands[s->command](s, e);
    struct err unwritten = {0};
    if (rc >= 0 && output_finish(&report, &unwritten) != 0) {
        *e = unwritten;
        rc = -e->code;
    }
    output_discard(&report);
    return rc;
}

int main(int argc, char *argv[])
{
    return program_run(argc, argv, PROGRAM_STACK_KIB, boncut);
}
