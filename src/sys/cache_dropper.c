// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/cache_dropper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/seccomp_rules.h"
#include "sys/stop.h"
#include "util/kernel_file.h"

bool dropper_filter_install(void *drop_caches, int socket)
{
    const int file = *(const int *)drop_caches;
    struct sock_filter rules[] = {
        LOAD(FIELD(arch)),
        MUST_BE(ARCHITECTURE),
        LOAD(FIELD(nr)),
        ALLOW(SYS_exit),
        ALLOW_ON(SYS_read, socket),
        ALLOW_ON(SYS_write, socket),
        MUST_BE(SYS_pwrite64),
        LOAD(LOW_HALF(0)),
        MUST_BE(file),
        LOAD(LOW_HALF(2)),
        MUST_BE(1),
        LOAD(HIGH_HALF(2)),
        MUST_BE(0),
        LOAD(LOW_HALF(3)),
        MUST_BE(0),
        LOAD(HIGH_HALF(3)),
        MUST_BE(0),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return seccomp_install(rules, sizeof rules / sizeof *rules);
}

#define DROP_CACHES "/proc/sys/vm/drop_caches"

/* "3": page cache and reclaimable slab objects (Documentation/admin-guide/sysctl/vm.rst). */
#define DROP_EVERYTHING "3"

/* Time that the dropper has to end, which may be dropping caches; after a signal it has less. */
#define END_MS     2000
#define STOPPED_MS 100

/* Looks for the answer, and for a signal, in the time that a drop has: where a filesystem of the
 * machine does not answer, it may never end. */
#define LOOK_MS    100
#define DROP_LOOKS 1200

/* Answers requests with 0 or a positive errno. Its filter allows no other system calls than these.
 * The offset must be 0 every time: the kernel ignores what is written at another one, and repeats
 * what was written before (Documentation/admin-guide/sysctl/kernel.rst: sysctl_writes_strict). */
static void serve_requests(void *drop_caches, int socket)
{
    char request;
    while (read(socket, &request, 1) == 1) {
        ssize_t written = pwrite(*(const int *)drop_caches, DROP_EVERYTHING, 1, 0);
        char answer = written == 1 ? 0 : written < 0 ? (char)errno : EIO;
        if (write(socket, &answer, 1) != 1)
            break;
    }
}

int cache_dropper_start(struct helper *dropper, struct err *e)
{
    *dropper = (struct helper){0};
    int drop_caches = kernel_file_open(DROP_CACHES, O_WRONLY);
    if (drop_caches < 0)
        return 0;
    /* user 0 needs no capability to write to DROP_CACHES */
    const struct confined_job job = {.name = "dropper",
                                     .keep = drop_caches,
                                     .confine = dropper_filter_install,
                                     .work = serve_requests,
                                     .context = &drop_caches};
    int rc = confined_start(dropper, &job, e);
    close(drop_caches);
    return rc;
}

int cache_dropper_drop(struct helper *dropper, struct err *e)
{
    char byte = 1;
    unsigned looks = 0;
    struct pollfd answer = {.fd = dropper->socket, .events = POLLIN};
    ssize_t got = send(dropper->socket, &byte, 1, MSG_NOSIGNAL);
    while (got == 1 && poll(&answer, 1, LOOK_MS) <= 0 && looks < DROP_LOOKS && !stop_requested())
        looks++;
    if (looks == DROP_LOOKS) {
        helper_end(dropper, STOPPED_MS);
        message("the caches of the system were not dropped within %d s, as when a filesystem "
                "does not answer; what is in them is not known",
                DROP_LOOKS * LOOK_MS / 1000);
        return 0;
    }
    got = got == 1 ? recv(dropper->socket, &byte, 1, MSG_DONTWAIT) : got;
    if (got < 0 && errno == EAGAIN)
        return stop_check(e);
    /* the end of the socket, or an error on it, means that the process has ended */
    if (got == 0 || (got < 0 && (errno == EPIPE || errno == ECONNRESET)))
        return err_say(e, "the process that drops the caches has died");
    if (got < 0)
        return err_system(e, errno, "have the caches dropped");
    return byte == 0 ? 0 : err_system(e, byte, "write to %s", DROP_CACHES);
}

void cache_dropper_stop(struct helper *dropper)
{
    helper_end(dropper, stop_signal() ? STOPPED_MS : END_MS);
}
