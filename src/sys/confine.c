// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/confine.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/helper.h"
#include "sys/privilege.h"
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
static void confined_main(void *context, int socket)
{
    const struct confined_job *job = context;
    if (job->outlives) {
        prctl(PR_SET_PDEATHSIG, 0);
        setsid();
    }
    bool confined = confine_process(job, socket);
    if (confined && write(socket, "", 1) == 1)
        job->work(job->context, socket);
    /* the filter does not allow exit_group(2), which _exit() calls */
    syscall(SYS_exit, confined ? 0 : 1);
}

/* How long a process that could not be confined may take to end, in ms. */
#define END_MS 2000

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
        helper_end(h, END_MS);
    return rc;
}
