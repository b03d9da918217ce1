// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/options.h"
#include "bonload/session.h"
#include "cli/help.h"
#include "sync/coordinator.h"
#include "sys/program.h"
#include "util/err.h"

static int run_action(const struct settings *s, struct coordinator *c, int *status, struct err *e)
{
    if (s->action == ACTION_RUN)
        return session(s, c, status, e);
    if (c->ranks.number > 0)
        return 0; /* rank 0 prints for all */
    if (s->action == ACTION_HELP || s->action == ACTION_SHORT_HELP)
        cli_print_help(&option_table, s->action == ACTION_SHORT_HELP, stdout);
    else if (s->action == ACTION_VERSION)
        cli_print_version(stdout);
    else
        cli_print_options(&option_table, stdout);
    return 0;
}

/* Returns after all ranks have left. A load that breaks a condition has its own exit status. */
static int bonload(int argc, char *argv[], struct err *e)
{
    static struct settings settings;
    struct coordinator coordinator;
    int status = EXIT_SUCCESS;
    sigset_t
        usr1; /* asks for the figures so far; only the main thread accepts it, while it waits */
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL); /* first, because all threads, also MPI's, inherit this */
    int rc = coordinator_join(&coordinator, program_coordinator, e);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, e);
    if (rc == 0 && settings.action == ACTION_RUN)
        rc = coordinator_agree(&coordinator, argc, argv, e);
    if (rc == 0)
        rc = run_action(&settings, &coordinator, &status, e);
    rc = coordinator_leave(&coordinator, rc, e);
    return rc == 0 ? status : rc;
}

int main(int argc, char *argv[])
{
    return program_run(argc, argv, bonload);
}
