// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/helper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/stop.h"
#include "util/coverage.h"
#include "util/err.h"

ssize_t byte_read(int fd, char *byte)
{
    ssize_t got;
    do {
        got = read(fd, byte, 1);
    } while (got < 0 && errno == EINTR && !stop_requested());
    return got;
}

int byte_write(int fd, char byte)
{
    ssize_t put;
    do {
        put = write(fd, &byte, 1);
    } while (put < 0 && errno == EINTR && !stop_requested());
    return put == 1 ? 0 : put < 0 ? -errno : -EIO;
}

int helper_start(struct helper *h, const char *name, void (*work)(void *context, int socket),
                 void *context, struct err *e)
{
    int ends[2];
    char listed[16]; /* the kernel keeps no more characters of a name */
    *h = (struct helper){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_system(e, errno, "socket to the %s", name);
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
    const struct timespec pause = {.tv_nsec = 1000000};
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
        nanosleep(&pause, NULL);
    }
    return false;
}
