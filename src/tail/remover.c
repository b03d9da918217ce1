#include "tail/remover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sys/seccomp_rules.h"
#include "sys/stop.h"

/*
 * The instance cannot be removed while the program, or a process that it forked, has files of it
 * open. When the program is killed, these files are closed a moment after the socket.
 */
#define MOST_TRIES 500
#define NAP_NS     10000000

/* Arguments of unlinkat(2). The filter compares the address of the name. */
struct errand {
    int instances;
    char name[TAIL_INSTANCE_NAME];
};

static bool confine_remover(void *context, int socket)
{
    const struct errand *errand = context;
    uint64_t name = (uint64_t)(uintptr_t)errand->name;
    struct sock_filter rules[] = {
        LOAD(FIELD(arch)),
        MUST_BE(ARCHITECTURE),
        LOAD(FIELD(nr)),
        ALLOW(SYS_exit),
        ALLOW(SYS_clock_nanosleep),
        ALLOW_ON(SYS_read, socket),
        ALLOW_ON(SYS_write, socket),
        MUST_BE(SYS_unlinkat),
        LOAD(LOW_HALF(0)),
        MUST_BE(errand->instances),
        LOAD(LOW_HALF(1)),
        MUST_BE((uint32_t)name),
        LOAD(HIGH_HALF(1)),
        MUST_BE((uint32_t)(name >> 32)),
        LOAD(LOW_HALF(2)),
        MUST_BE(AT_REMOVEDIR),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return seccomp_install(rules, sizeof rules / sizeof *rules);
}

/* Waits for the end of the program and removes the instance. The filter allows nothing else. */
static void run_errand(void *context, int socket)
{
    const struct errand *errand = context;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    char byte;
    while (syscall(SYS_read, socket, &byte, 1) < 0 && errno == EINTR)
        continue;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (syscall(SYS_unlinkat, errand->instances, errand->name, AT_REMOVEDIR) == 0 ||
            errno == ENOENT)
            return;
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
    }
}

int tail_remover_start(struct helper *remover, int instances, const char *name, struct err *e)
{
    struct errand errand = {.instances = instances};
    snprintf(errand.name, sizeof errand.name, "%s", name);
    const struct confined_job job = {.name = "remover",
                                     .keep = instances,
                                     .outlives = true, /* its job begins when its parent dies */
                                     .confine = confine_remover,
                                     .work = run_errand,
                                     .context = &errand};
    return confined_start(remover, &job, e);
}

void tail_remover_stop(struct helper *remover)
{
    if (!helper_end(remover, MOST_TRIES * (NAP_NS / 1000000) + 1000))
        stop_message("the process that removes the trace instance is stopped, and does so when it "
                     "goes on");
}
