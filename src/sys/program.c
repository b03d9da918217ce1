#include "sys/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sys/start_up.h"
#include "sys/stop.h"
#include "util/message.h"

/* Room for the longest output: it is written at once, so the reason of a failure is known. */
#define STDOUT_BUFFER 65536

int program_run(int argc, char *argv[], int (*work)(int argc, char *argv[], struct err *e))
{
    struct err e;
    err_init(&e);
    int rc = start_up(&e);
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);

    if (rc == 0)
        rc = work(argc, argv, &e);
    if (rc >= 0 && fflush(stdout) != 0)
        rc = err_system(&e, errno, "write to standard output");
    stop_end_by_signal();
    if (rc != 0 && *e.text) /* none: another process tells it */
        message("%s", e.text);
    fflush(stdout);       /* what was complete before a failure */
    stop_end_by_signal(); /* one that came while these waited for a reader */
    return rc >= 0 ? rc : EXIT_FAILURE;
}
