// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/output.h"
#include "sys/stop.h"
#include "util/descriptor.h"
#include "util/units.h"

/* Holds the longest output, which is then written at once, so that a failure's reason is known. */
#define STDOUT_BUFFER 65536

int program_run(int argc, char *argv[], unsigned stack_kib,
                int (*work)(int argc, char *argv[], struct err *e))
{
    struct err e = {0};
    struct rlimit stack;
    int rc = 0;
    stop_takes_inquiries(false);

    /*
     * Opens standard descriptors that are closed. Otherwise the first file that is opened would get
     * the number of one, and the program would print into that file. The replacement for standard
     * output cannot be written to.
     */
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
        if (fd < 0)
            fd = open("/", O_RDONLY); /* an empty chroot */
    } while (fd >= 0 && fd <= STDERR_FILENO);
    descriptor_close(&fd);

    /*
     * The limit on the stack (RLIMIT_STACK, `ulimit -s`) must leave enough for this process and its
     * threads, because an overflow would end them with SIGSEGV. Arguments, environment and callers
     * use some: the name of the program lies above everything else.
     */
    uintptr_t top = (uintptr_t)getauxval(AT_EXECFN);
    uintptr_t used = top > (uintptr_t)&stack ? top - (uintptr_t)&stack : 0;
    uint64_t needed = used / KIB + 1 + stack_kib;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY &&
        stack.rlim_cur / KIB < needed)
        rc = err_say(&e,
                     "the stack is limited to %" PRIu64 " KiB, but %" PRIu64
                     " KiB are needed (ulimit -s)",
                     (uint64_t)stack.rlim_cur / KIB, needed);
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);

    if (rc == 0)
        rc = work(argc, argv, &e);
    /* Prints the figures before the message about them. */
    errno = 0;
    int printed = rc < 0 ? fflush(stdout) : output_flush(&e);
    if (rc >= 0 && printed != 0)
        rc = printed;
    /* the end by a signal says enough of an error that it has caused in the program's calls */
    int number = stop_signal();
    bool is_told = number != 0 && (e.code == EINTR || (number == SIGPIPE && e.code == EPIPE) ||
                                   (number == SIGXFSZ && e.code == EFBIG));
    /* if there is no text, another process reports the failure */
    if (rc != 0 && *e.text && !is_told)
        stop_message(e.text);
    stop_end_by_signal();
    return rc >= 0 ? rc : EXIT_FAILURE;
}
