// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonnie/program.h"

#include <stdio.h>

#include "bonnie/options.h"
#include "bonnie/session.h"
#include "cli/help.h"
#include "io/engine.h"
#include "storage/scratch.h"
#include "sync/coordinator.h"
#include "sys/privilege.h"
#include "tail/trace.h"

static int change_semaphores(const struct settings *s, struct err *e)
{
    int rc = privilege_change(s->user, s->group, true, e);
    if (rc != 0)
        return rc;
    return s->semaphore_processes < 0 ? semaphores_remove(e)
                                      : semaphores_make(s->semaphore_processes, e);
}

static int clean_directory(const struct settings *s, struct err *e)
{
    tail_trace_cleanup();
    int rc = privilege_change(s->user, s->group, true, e);
    if (rc != 0)
        return rc;
    semaphores_clean_up();
    return cleanup_directory(s->directory, s->trusts_directory, e);
}

static int run_action(const struct settings *s, struct coordinator *coordinator, struct err *e)
{
    if (s->action != ACTION_RUN && coordinator->ranks.number > 0)
        return 0; /* the user has already been warned */
    switch (s->action) {
    case ACTION_SHORT_HELP:
    case ACTION_HELP:
        options_print_help(s, stdout);
        return 0;
    case ACTION_VERSION:
        options_print_version(s, stdout);
        return 0;
    case ACTION_SEMAPHORES:
        return change_semaphores(s, e);
    case ACTION_CLEANUP:
        return clean_directory(s, e);
    case ACTION_ENGINES:
        engine_print_all(stdout);
        return 0;
    case ACTION_OPTIONS:
        cli_print_options(&option_table, stdout);
        return 0;
    case ACTION_RUN:
        break;
    }
    return session(s, coordinator, e);
}

int bonnie(int argc, char *argv[], struct err *e)
{
    struct coordinator coordinator;
    struct settings settings;
    int rc = coordinator_join(&coordinator, program_coordinator, e);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, e);
    if (rc == 0 && settings.action == ACTION_RUN)
        rc = coordinator_agree(&coordinator, argc, argv, e);
    if (rc == 0)
        rc = run_action(&settings, &coordinator, e);
    return coordinator_leave(&coordinator, rc, e);
}
