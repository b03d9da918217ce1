#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/options.h"
#include "bonload/session.h"
#include "cli/help.h"
#include "cli/option_list.h"
#include "sync/coordinator.h"
#include "sys/start_up.h"
#include "sys/stop.h"
#include "util/err.h"
#include "util/message.h"

/* Room for most outputs, so that they are written at once. */
#define STDOUT_BUFFER 65536

/*
 * SIGUSR1 asks for the figures so far: the main thread alone takes it, when it waits. Threads get
 * this from the one that starts them, and a library for MPI starts some of its own.
 */
static void hold_usr1(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

static int act(const struct settings *s, struct coordinator *c, int *status, struct err *e)
{
    if (s->action != ACTION_RUN && c->ranks.number > 0)
        return 0; /* once is enough */
    switch (s->action) {
    case ACTION_HELP:
        cli_print_help(&option_table, stdout);
        return 0;
    case ACTION_VERSION:
        cli_print_version(stdout);
        return 0;
    case ACTION_OPTIONS:
        cli_print_options(&option_table, stdout);
        return 0;
    case ACTION_RUN:
        break;
    }
    return session(s, c, status, e);
}

static int bonload(int argc, char *argv[], int *status, struct err *e)
{
    static struct settings settings;
    struct coordinator coordinator;
    hold_usr1();
    int rc = coordinator_join(&coordinator, program_coordinator, e);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, e);
    if (rc == 0 && settings.action == ACTION_RUN)
        rc = coordinator_agree(&coordinator, argc, argv, e);
    if (rc == 0)
        rc = act(&settings, &coordinator, status, e);
    return coordinator_leave(&coordinator, rc, e);
}

int main(int argc, char *argv[])
{
    struct err e;
    int status = EXIT_SUCCESS;
    err_init(&e);

    int rc = start_up(&e);
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);
    if (rc == 0)
        rc = bonload(argc, argv, &status, &e);
    if (rc == 0 && fflush(stdout) != 0)
        rc = err_system(&e, errno, "write to standard output");
    fflush(stdout); /* figures stand before what is wrong with them */
    bool is_told = !*e.text || (e.code == EINTR && stop_signal() != 0);
    if (rc != 0 && !is_told)
        message("%s", e.text);
    stop_end_by_signal();
    return rc == 0 ? status : EXIT_FAILURE;
}
