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
#include "util/units.h"

/*
 * Opens standard descriptors that are closed. Otherwise the first file that is opened would get the
 * number of one, and the program would print into that file. The replacement for standard output
 * cannot be written to.
 */
static void occupy_standard_descriptors(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
        if (fd < 0)
            fd = open("/", O_RDONLY); /* an empty chroot */
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/*
 * Checks that the limit on the size of the stack (RLIMIT_STACK, `ulimit -s`) leaves enough for this
 * process and its threads, because an overflow would end them with SIGSEGV. Returns 0, or -EINVAL
 * with a line in e that says how much they need.
 */
static int check_stack_limit(unsigned stack_kib, struct err *e)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    /* arguments, environment and callers: the name of the program lies above everything else */
    uintptr_t top = (uintptr_t)getauxval(AT_EXECFN);
    uintptr_t used = top > (uintptr_t)&limit ? top - (uintptr_t)&limit : 0;
    uint64_t needed = used / KIB + 1 + stack_kib;
    if (limit.rlim_cur / KIB >= needed)
        return 0;
    return err_say(
        e, "the stack is limited to %" PRIu64 " KiB, but %" PRIu64 " KiB are needed (ulimit -s)",
        (uint64_t)limit.rlim_cur / KIB, needed);
}

/* Holds the longest output, which is then written at once, so that a failure's reason is known. */
#define STDOUT_BUFFER 65536

/* Whether a signal causes this error in the program's calls, so that ending by it says enough. */
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

int program_run(int argc, char *argv[], unsigned stack_kib,
                int (*work)(int argc, char *argv[], struct err *e))
{
    struct err e = {0};
    stop_ignores_inquiries();
    occupy_standard_descriptors();
    int rc = check_stack_limit(stack_kib, &e);
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
