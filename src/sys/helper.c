// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/helper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "measure/clock.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "util/coverage.h"
#include "util/portable.h"

ssize_t byte_read(int fd, char *byte)
{
    ssize_t got;
    do
        got = read(fd, byte, 1);
    while (stop_retries(got));
    return got;
}

int byte_write(int fd, char byte)
{
    ssize_t put;
    do
        put = write(fd, &byte, 1);
    while (stop_retries(put));
    return put == 1 ? 0 : put < 0 ? -errno : -EIO;
}

int helper_start(struct helper *h, const char *name, void (*work)(void *context, int socket),
                 void *context, struct err *e)
{
    int ends[2];
    char listed[16]; /* the kernel keeps no more characters of a name */
    *h = (struct helper){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_system(e, errno, "make a socket to the %s", name);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        stop_init_child();
        if (getppid() != parent)
            _exit(1); /* it died before stop_init_child() */
        snprintf(listed, sizeof listed, "%.7s-%s", program_name, name);
        prctl(PR_SET_NAME, listed);
        close(ends[0]);
        work(context, ends[1]);
        coverage_dump();
        _exit(0);
    }
    int code = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return err_system(e, code, "fork the %s", name);
    }
    *h = (struct helper){.pid = pid, .socket = ends[0]};
    return 0;
}

bool helper_end(struct helper *h, unsigned patience_ms)
{
    pid_t pid = h->pid;
    if (pid <= 0)
        return true;
    shutdown(h->socket, SHUT_RDWR); /* the helper sees the end even if there are copies of it */
    close(h->socket);
    *h = (struct helper){.socket = -1};
    for (unsigned ms = 0; ms < 2 * patience_ms; ms++) {
        int status;
        pid_t changed = waitpid(pid, &status, WNOHANG | WUNTRACED);
        if (changed < 0 || (changed > 0 && !WIFSTOPPED(status)))
            return true;
        if (changed > 0 && kill(pid, SIGCONT) != 0)
            return false;
        if (ms == patience_ms && kill(pid, SIGKILL) != 0)
            return false;
        clock_sleep(1000000);
    }
    return false;
}

static bool close_from(unsigned first, unsigned end)
{
    return first >= end || portable_close_range(first, end - 1);
}

/* Gives up what the job does not need. A byte on the socket says that the process is confined. */
static void confined_main(void *context, int socket)
{
    const struct confined_job *job = context;
    unsigned low = (unsigned)MIN(socket, job->keep);
    unsigned high = (unsigned)MAX(socket, job->keep);
    if (job->outlives) {
        prctl(PR_SET_PDEATHSIG, 0);
        setsid();
    }
    bool confined = close_from(0, low) && close_from(low + 1, high) && close_from(high + 1, ~0U) &&
                    privilege_give_up_capabilities(NULL) == 0 && job->confine(job->context, socket);
    if (confined && (write(socket, "", 1) == 1 || job->outlives))
        job->work(job->context, socket);
    /* the filter does not allow exit_group(2), which _exit() calls */
    syscall(SYS_exit, confined ? 0 : 1);
}

int confined_start(struct helper *h, const struct confined_job *job, struct err *e)
{
    struct confined_job copy = *job;
    char greeting;
    *h = (struct helper){.socket = -1};
#ifdef __SANITIZE_THREAD__
    return 0; /* the sanitizer runs a thread in every child, and the filter kills that */
#endif
    int rc = helper_start(h, job->name, confined_main, &copy, e);
    if (rc == 0 && byte_read(h->socket, &greeting) != 1)
        helper_end(h, HELPER_END_MS);
    return rc;
}
