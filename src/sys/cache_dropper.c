#include "sys/cache_dropper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/byte_pipe.h"
#include "sys/confine.h"
#include "sys/dropper_filter.h"
#include "sys/privilege.h"
#include "sys/stop.h"
#include "util/kernel_file.h"
#include "util/message.h"

#define DROP_CACHES "/proc/sys/vm/drop_caches"

/* "3": page cache and reclaimable slab objects (Documentation/admin-guide/sysctl/vm.rst). */
#define DROP_EVERYTHING "3"

/*
 * Gives up everything that the dropper does not need. User 0 needs nothing else to write to
 * DROP_CACHES.
 */
static bool confine_dropper(int socket, int drop_caches)
{
    struct err ignored;
    err_init(&ignored);
    return confine_close_all_but(socket, drop_caches) &&
           privilege_give_up_capabilities(&ignored) == 0 &&
           dropper_filter_install(socket, drop_caches);
}

/* The dropper's first message. */
enum greeting { IS_CONFINED, IS_NOT_CONFINED };

/*
 * Makes the kernel drop its caches. Returns 0 or a positive errno. The offset must be 0 every time:
 * the kernel ignores what is written at another offset, and repeats what was written before
 * (sysctl_writes_strict in Documentation/admin-guide/sysctl/kernel.rst).
 */
static char drop_system_caches(int drop_caches)
{
    ssize_t written = pwrite(drop_caches, DROP_EVERYTHING, 1, 0);
    return written == 1 ? 0 : written < 0 ? (char)errno : EIO;
}

/*
 * Answers requests until the other end of the socket is closed. dropper_filter.c allows no other
 * system calls than these.
 */
static void serve_requests(int socket, int drop_caches)
{
    char request;
    while (read(socket, &request, 1) == 1) {
        char answer = drop_system_caches(drop_caches);
        if (write(socket, &answer, 1) != 1)
            break;
    }
}

__attribute__((noreturn)) static void dropper_main(int socket, int drop_caches)
{
    stop_init_child();
    char name[16]; /* the kernel keeps no more characters of a name */
    snprintf(name, sizeof name, "%.7s-dropper", program_name);
    prctl(PR_SET_NAME, name);
    bool confined = confine_dropper(socket, drop_caches);
    char greeting = confined ? IS_CONFINED : IS_NOT_CONFINED;
    if (write(socket, &greeting, 1) == 1 && confined)
        serve_requests(socket, drop_caches);
    syscall(SYS_exit,
            confined ? 0 : 1); /* the filter does not allow exit_group(2), which _exit() calls */
    __builtin_unreachable();
}

/* Forks the dropper, which uses drop_caches. The caller closes its own copy of that descriptor. */
static int fork_dropper(struct cache_dropper *d, int drop_caches, struct err *e)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_system(e, errno, "socket to the process that drops caches");
    pid_t pid = fork();
    if (pid == 0)
        dropper_main(ends[1], drop_caches);
    int rc = pid < 0 ? err_system(e, errno, "fork the process that drops caches") : 0;
    close(ends[1]);
    if (rc != 0)
        close(ends[0]);
    else
        *d = (struct cache_dropper){.pid = pid, .socket = ends[0]};
    return rc;
}

int cache_dropper_start(struct cache_dropper *d, struct err *e)
{
    *d = (struct cache_dropper){.socket = -1};
#ifdef __SANITIZE_THREAD__
    return 0; /* the sanitizer runs a thread in every child, and the filter kills that */
#endif
    int drop_caches = kernel_file_open(DROP_CACHES, O_WRONLY);
    if (drop_caches < 0)
        return 0;
    int rc = fork_dropper(d, drop_caches, e);
    close(drop_caches);
    char greeting;
    if (rc == 0 && (byte_read(d->socket, &greeting) != 1 || greeting != IS_CONFINED))
        cache_dropper_stop(d); /* it could not be confined, so the program goes on without it */
    return rc;
}

bool cache_dropper_is_there(const struct cache_dropper *d)
{
    return d->pid > 0;
}

/*
 * Reports that the dropper does not answer. The end of the socket, or an error on it, means that
 * the process has ended.
 */
static int no_answer(int code, const char *doing, struct err *e)
{
    if (code == 0 || code == EPIPE || code == ECONNRESET)
        return err_say(e, "the process that drops the caches has died");
    return err_system(e, code, "%s for the caches to be dropped", doing);
}

int cache_dropper_drop(struct cache_dropper *d, struct err *e)
{
    char byte = 1;
    if (send(d->socket, &byte, 1, MSG_NOSIGNAL) != 1)
        return no_answer(errno, "ask", e);
    ssize_t got = byte_read(d->socket, &byte);
    if (got != 1)
        return no_answer(got < 0 ? errno : 0, "wait", e);
    if (byte != 0)
        return err_system(e, byte, "write to %s", DROP_CACHES);
    return 0;
}

void cache_dropper_stop(struct cache_dropper *d)
{
    if (d->pid <= 0)
        return;
    shutdown(d->socket, SHUT_RDWR); /* ends the dropper even if close(2) does not */
    close(d->socket);
    while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    d->pid = 0;
}
