#include "sys/confine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/byte_pipe.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "util/message.h"
#include "util/portable.h"

/* Closes the descriptors from `first` to `end` - 1. */
static bool close_from(unsigned first, unsigned end)
{
    return first >= end || portable_close_range(first, end - 1);
}

static bool close_all_but(int keep, int keep_too)
{
    unsigned low = (unsigned)(keep < keep_too ? keep : keep_too);
    unsigned high = (unsigned)(keep < keep_too ? keep_too : keep);
    return close_from(0, low) && close_from(low + 1, high) && close_from(high + 1, ~0U);
}

/* Gives up everything that the job does not need. */
static bool confine_process(const struct confined_job *job, int socket)
{
    struct err ignored;
    err_init(&ignored);
    return close_all_but(socket, job->keep) && privilege_give_up_capabilities(&ignored) == 0 &&
           job->confine(job->context, socket);
}

/* A byte on the socket tells the parent that the process is confined. */
__attribute__((noreturn)) static void confined_main(const struct confined_job *job, int socket)
{
    char name[16]; /* the kernel keeps no more characters of a name */
    stop_init_child();
    if (job->outlives) {
        prctl(PR_SET_PDEATHSIG, 0);
        setsid();
    }
    snprintf(name, sizeof name, "%.7s-%s", program_name, job->name);
    prctl(PR_SET_NAME, name);
    bool confined = confine_process(job, socket);
    if (confined && write(socket, "", 1) == 1)
        job->work(job->context, socket);
    /* the filter does not allow exit_group(2), which _exit() calls */
    syscall(SYS_exit, confined ? 0 : 1);
    __builtin_unreachable();
}

int confined_start(struct confined *c, const struct confined_job *job, struct err *e)
{
    int ends[2];
    char greeting;
    *c = (struct confined){.socket = -1};
#ifdef __SANITIZE_THREAD__
    return 0; /* the sanitizer runs a thread in every child, and the filter kills that */
#endif
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_system(e, errno, "socket to the process that %s", job->purpose);
    pid_t pid = fork();
    if (pid == 0)
        confined_main(job, ends[1]);
    int rc = pid < 0 ? err_system(e, errno, "fork the process that %s", job->purpose) : 0;
    close(ends[1]);
    if (rc != 0) {
        close(ends[0]);
        return rc;
    }
    *c = (struct confined){.pid = pid, .socket = ends[0]};
    if (byte_read(c->socket, &greeting) != 1)
        confined_stop(c);
    return 0;
}

void confined_stop(struct confined *c)
{
    if (c->pid <= 0)
        return;
    shutdown(c->socket, SHUT_RDWR); /* ends the process even if close(2) does not */
    close(c->socket);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    c->pid = 0;
}
