// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/cache_dropper.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "measure/clock.h"
#include "sys/seccomp_rules.h"
#include "sys/stop.h"
#include "util/kernel_file.h"
#include "util/units.h"

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
    return seccomp_install(rules, COUNT_OF(rules));
}

#define DROP_CACHES "/proc/sys/vm/drop_caches"

/* "3": page cache and reclaimable slab objects (Documentation/admin-guide/sysctl/vm.rst). */
#define DROP_EVERYTHING "3"

/* The time between two looks for a signal during a drop. */
#define LOOK_MS 100

/* Answers requests with their number, and 0 or a positive errno. Its filter allows no other system
 * calls than these. The offset must be 0 every time: the kernel ignores what is written at another
 * one, and repeats what was written before (sysctl/kernel.rst: sysctl_writes_strict). */
static void serve_requests(void *drop_caches, int socket)
{
    struct dropper_answer answer = {0};
    while (read(socket, &answer.request, sizeof answer.request) == sizeof answer.request) {
        ssize_t written = pwrite(*(const int *)drop_caches, DROP_EVERYTHING, 1, 0);
        answer.code = written == 1 ? 0 : written < 0 ? (uint64_t)errno : EIO;
        if (write(socket, &answer, sizeof answer) != sizeof answer)
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

int cache_dropper_drop(const struct helper *dropper, struct err *e)
{
    const uint64_t request = clock_ns();
    struct dropper_answer answer = {0};
    struct pollfd from = {.fd = dropper->socket, .events = POLLIN};
    ssize_t got = send(dropper->socket, &request, sizeof request, MSG_NOSIGNAL);
    while (got > 0 && answer.request != request) {
        if (stop_requested())
            return stop_check(e);
        if (clock_ns() - request >= CACHE_DROP_SECONDS * BILLION)
            return CACHE_DROP_LATE;
        if (poll(&from, 1, LOOK_MS) > 0)
            got = recv(dropper->socket, &answer, sizeof answer, MSG_DONTWAIT);
    }
    /* the end of the socket, or an error on it, means that the process has ended */
    if (got == 0 || (got < 0 && (errno == EPIPE || errno == ECONNRESET)))
        return err_say(e, "the process that drops the caches has died");
    if (got < 0)
        return err_system(e, errno, "have the caches dropped");
    return answer.code == 0 ? 0 : err_system(e, (int)answer.code, "write to %s", DROP_CACHES);
}

void cache_dropper_stop(struct helper *dropper)
{
    helper_end(dropper, stop_signal() ? HELPER_STOPPED_MS : HELPER_END_MS);
}
