#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "coordinate.h"
#include "privilege.h"
#include "session.h"
#include "stop.h"
#include "util/err.h"

/* The small actions that take the options -u and -g too. */
static int as_user(const struct settings *s, struct err *e)
{
    struct identity identity;
    int rc = privilege_resolve(&identity, s->user, s->group, e);
    return rc == 0 ? privilege_drop(&identity, e) : rc;
}

static int semaphores(const struct settings *s, struct err *e)
{
    int rc = as_user(s, e);
    if (rc != 0)
        return rc;
    return s->semaphore_processes < 0 ? coordinate_remove_semaphores(e)
                                      : coordinate_make_semaphores(s->semaphore_processes, e);
}

static int cleanup(const struct settings *s, struct err *e)
{
    int rc = as_user(s, e);
    return rc == 0 ? cleanup_directory(s->directory, e) : rc;
}

static int act(const struct settings *s, struct err *e)
{
    switch (s->action) {
    case ACTION_HELP:
        cli_print_help(stdout);
        return 0;
    case ACTION_VERSION:
        cli_print_version(stdout);
        return 0;
    case ACTION_SEMAPHORES:
        return semaphores(s, e);
    case ACTION_CLEANUP:
        return cleanup(s, e);
    case ACTION_ENGINES:
        cli_print_engines(stdout);
        return 0;
    case ACTION_RUN:
        break;
    }
    return session(s, e);
}

/*
 * A standard descriptor that is closed would be given to the first file that is opened, and be
 * written to as if it were that one. What stands in for standard output cannot be written to.
 */
static void occupy_standard_descriptors(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Room for the longest output, so that it is written at once and the reason of a failure is known.
 */
#define STDOUT_BUFFER 65536

int main(int argc, char *argv[])
{
    struct settings settings;
    struct err e;
    err_init(&e);
    occupy_standard_descriptors();
    setvbuf(stdout, NULL, _IOFBF, STDOUT_BUFFER);

    int rc = cli_parse(argc, argv, &settings, &e);
    if (rc == 0)
        rc = act(&settings, &e);
    if (rc == 0 && fflush(stdout) != 0)
        rc = err_system(&e, errno, "write to standard output");
    stop_end_by_signal();
    if (rc != 0)
        fprintf(stderr, "bonnie: %s\n", e.text);
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
