#include "sys/program.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sys/start_up.h"
#include "sys/stop.h"

/* Room for the longest output: it is written at once, so the reason of a failure is known. */
#define STDOUT_BUFFER 65536

/* True for what a signal does to the calls of a program: its end by that signal says as much. */
static bool comes_of_signal(int code)
{
    switch (stop_signal()) {
    case 0:
        return false;
    case SIGPIPE:
        return code == EINTR || code == EPIPE;
    case SIGXFSZ:
        return code == EINTR || code == EFBIG;
    default:
        return code == EINTR;
    }
}

int program_run(int argc, char *argv[], int (*work)(int argc, char *argv[], struct err *e))
{
    struct err e;
    err_init(&e);
    int rc = start_up(&e);
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);

    if (rc == 0)
        rc = work(argc, argv, &e);
    if (fflush(stdout) != 0 && rc >= 0) /* figures stand before what is wrong with them */
        rc = err_system(&e, errno, "write to standard output");
    if (rc != 0 && *e.text && !comes_of_signal(e.code)) /* no text: another process tells it */
        stop_message(e.text);
    stop_end_by_signal();
    return rc >= 0 ? rc : EXIT_FAILURE;
}
