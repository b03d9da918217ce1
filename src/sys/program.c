#include "sys/program.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sys/output.h"
#include "sys/start_up.h"
#include "sys/stop.h"

/*
 * Larger than the longest output, which is therefore written at once, so that the reason of a
 * failure is known.
 */
#define STDOUT_BUFFER 65536

/*
 * Whether a signal causes this error in the program's calls. Ending by that signal then says
 * enough.
 */
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
    stop_ignores_inquiries();
    err_init(&e);
    int rc = start_up(&e);
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);

    if (rc == 0)
        rc = work(argc, argv, &e);
    /* Prints the figures before the message about them. */
    errno = 0;
    int printed = rc < 0 ? fflush(stdout) : output_flush(&e);
    if (rc >= 0 && printed != 0)
        rc = printed;
    /* if there is no text, another process reports the failure */
    if (rc != 0 && *e.text && !comes_of_signal(e.code))
        stop_message(e.text);
    stop_end_by_signal();
    return rc >= 0 ? rc : EXIT_FAILURE;
}
