#include "tail/remover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/byte_pipe.h"
#include "sys/confine.h"
#include "sys/privilege.h"
#include "sys/seccomp_rules.h"
#include "sys/stop.h"
#include "util/message.h"

/*
 * The instance cannot be removed while the program, or a process that it forked, has files of it
 * open. When the program was killed, they are closed a moment after the socket.
 */
#define MOST_TRIES 500
#define NAP_NS     10000000

/* The arguments of the calls that the filter allows; the name is known by its address. */
struct errand {
    int socket;
    int instances;
    char name[TAIL_INSTANCE_NAME];
};

static bool install_filter(const struct errand *errand)
{
    uint64_t name = (uint64_t)(uintptr_t)errand->name;
    struct sock_filter rules[] = {
        LOAD(FIELD(arch)),
        MUST_BE(ARCHITECTURE),
        LOAD(FIELD(nr)),
        ALLOW(SYS_exit),
        ALLOW(SYS_clock_nanosleep),
        ALLOW_ON(SYS_read, errand->socket),
        ALLOW_ON(SYS_write, errand->socket),
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
    const struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return ARCHITECTURE != 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static bool confine_remover(const struct errand *errand)
{
    struct err ignored;
    err_init(&ignored);
    return confine_close_all_but(errand->socket, errand->instances) &&
           privilege_give_up_capabilities(&ignored) == 0 && install_filter(errand);
}

/* Waits for the end of the program, and removes the instance; the filter allows nothing else. */
static void run_errand(const struct errand *errand)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    char byte;
    while (syscall(SYS_read, errand->socket, &byte, 1) < 0 && errno == EINTR)
        continue;
    for (int i = 0; i < MOST_TRIES; i++) {
        if (syscall(SYS_unlinkat, errand->instances, errand->name, AT_REMOVEDIR) == 0 ||
            errno == ENOENT)
            return;
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
    }
}

/* The remover outlives the program: its parent's death is what it waits for. */
__attribute__((noreturn)) static void remover_main(const struct errand *errand)
{
    char name[16]; /* the kernel keeps no more of a name */
    stop_init_child();
    prctl(PR_SET_PDEATHSIG, 0);
    setsid();
    snprintf(name, sizeof name, "%.7s-remover", program_name);
    prctl(PR_SET_NAME, name);
    bool confined = confine_remover(errand);
    if (confined && syscall(SYS_write, errand->socket, "", 1) == 1)
        run_errand(errand);
    syscall(SYS_exit, confined ? 0 : 1); /* the filter does not allow exit_group */
    __builtin_unreachable();
}

int tail_remover_start(struct tail_remover *r, int instances, const char *name, struct err *e)
{
    int ends[2];
    struct errand errand = {.instances = instances};
    *r = (struct tail_remover){.socket = -1};
#ifdef __SANITIZE_THREAD__
    return 0; /* the sanitizer runs a thread in every child, which the filter kills */
#endif
    snprintf(errand.name, sizeof errand.name, "%s", name);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_system(e, errno, "socket to the process that removes the trace instance");
    errand.socket = ends[1];
    pid_t pid = fork();
    if (pid == 0)
        remover_main(&errand);
    int rc = pid < 0 ? err_system(e, errno, "fork the process that removes the trace instance") : 0;
    close(ends[1]);
    if (rc != 0) {
        close(ends[0]);
        return rc;
    }
    *r = (struct tail_remover){.pid = pid, .socket = ends[0]};
    char greeting;
    if (byte_read(r->socket, &greeting) != 1)
        tail_remover_stop(r); /* it could not be confined */
    return 0;
}

void tail_remover_stop(struct tail_remover *r)
{
    if (r->pid <= 0)
        return;
    shutdown(r->socket, SHUT_RDWR);
    close(r->socket);
    while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    r->pid = 0;
}
