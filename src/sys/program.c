// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/program.h"

#include <signal.h>

#include "sys/limits.h"
#include "sys/output.h"
#include "sys/stop.h"
#include "util/descriptor.h"

/* Holds the longest output, which is then written at once, so that a failure's reason is known. */
#define STDOUT_BUFFER 65536

int program_run(int argc, char *argv[], unsigned stack_kib,
                int (*work)(int argc, char *argv[], struct err *e))
{
    struct err e = {0};
    stop_takes_inquiries(false);

    /* Opens standard descriptors that are closed, for reading only. Otherwise the first file that
     * is opened would get the number of one, and the program would print into that file. */
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
        if (fd < 0)
            fd = open("/", O_RDONLY); /* an empty chroot */
    } while (fd >= 0 && fd <= STDERR_FILENO);
    descriptor_close(&fd);

    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);

    int rc = limits_stack(stack_kib, &e);
    if (rc == 0)
        rc = work(argc, argv, &e);
    /* Prints the figures before the message about them. */
    errno = 0;
    int printed = rc < 0 ? fflush(stdout) : output_flush(&e);
    if (rc >= 0 && printed != 0)
        rc = printed;
    /* the end by a signal says enough of an error that it has caused in the program's calls */
    int number = stop_signal();
    bool is_told = number != 0 && (e.code == EINTR || (number == SIGPIPE && e.code == EPIPE));
    /* if there is no text, another process reports the failure */
    if (rc != 0 && *e.text && !is_told)
        stop_message(e.text);
    stop_end_by_signal();
    return rc >= 0 ? rc : EXIT_FAILURE;
}
