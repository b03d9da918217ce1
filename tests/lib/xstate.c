// SPDX-License-Identifier: GPL-2.0-or-later
/* For User-mode Linux, by LD_PRELOAD: on CPUs whose registers take more than it has room for (AMX),
 * Linux refuses to set only a part of them, and the guest could not start its first program. What
 * the guest does not know of is left as it is. */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

long ptrace(enum __ptrace_request request, ...)
{
    static _Alignas(64) char whole[1 << 16];
    struct iovec set = {.iov_base = whole, .iov_len = sizeof whole};
    va_list more;
    va_start(more, request);
    pid_t pid = va_arg(more, pid_t);
    void *address = va_arg(more, void *);
    void *data = va_arg(more, void *);
    va_end(more);
    if (request == PTRACE_SETREGSET && address == (void *)NT_X86_XSTATE &&
        syscall(SYS_ptrace, PTRACE_GETREGSET, pid, address, &set) == 0) {
        const struct iovec *part = data;
        memcpy(whole, part->iov_base, part->iov_len);
        data = &set;
    }
    long word = 0;
    if (request != PTRACE_PEEKTEXT && request != PTRACE_PEEKDATA && request != PTRACE_PEEKUSER)
        return syscall(SYS_ptrace, request, pid, address, data);
    errno = 0;
    return syscall(SYS_ptrace, request, pid, address, &word) == 0 ? word : -1;
}
