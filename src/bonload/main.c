#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bonload/options.h"
#include "bonload/session.h"
#include "cli/help.h"
#include "cli/option_list.h"
#include "sys/start_up.h"
#include "sys/stop.h"
#include "util/err.h"
#include "util/message.h"

/* Room for most outputs, so that they are written at once. */
#define STDOUT_BUFFER 65536

static int act(const struct settings *s, int *status, struct err *e)
{
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
    return session(s, status, e);
}

int main(int argc, char *argv[])
{
    static struct settings settings;
    struct err e;
    int status = EXIT_SUCCESS;
    err_init(&e);

    int rc = start_up(&e);
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);
    if (rc == 0)
        rc = options_parse(argc, argv, &settings, &e);
    if (rc == 0)
        rc = act(&settings, &status, &e);
    if (rc == 0 && fflush(stdout) != 0)
        rc = err_system(&e, errno, "write to standard output");
    fflush(stdout); /* figures stand before what is wrong with them */
    if (rc != 0 && !(e.code == EINTR && stop_signal() != 0))
        message("%s", e.text);
    stop_end_by_signal();
    return rc == 0 ? status : EXIT_FAILURE;
}
