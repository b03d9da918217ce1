#include "sys/dropper_filter.h"

#include <sys/syscall.h>

#include "sys/seccomp_rules.h"

bool dropper_filter_install(int socket, int drop_caches)
{
    struct sock_filter rules[] = {
        LOAD(FIELD(arch)),
        MUST_BE(ARCHITECTURE),
        LOAD(FIELD(nr)),
        ALLOW(SYS_exit),
        ALLOW_ON(SYS_read, socket),
        ALLOW_ON(SYS_write, socket),
        MUST_BE(SYS_pwrite64),
        LOAD(LOW_HALF(0)),
        MUST_BE(drop_caches),
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
