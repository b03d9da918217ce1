// SPDX-License-Identifier: GPL-2.0-or-later
/* What the dropper's filter allows a process to do, and what kills the process. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/cache_dropper.h"

static int ends[2];     /* a pair of sockets; the confined process has ends[0] */
static int drop_caches; /* a regular file, used in place of the kernel's drop_caches */
static char byte = '3';

static int set_up(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    drop_caches = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
    return drop_caches < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0;
}

/* A system call with its arguments, made by a process that the filter confines. */
struct call {
    const char *name;
    long number;
    uint64_t arguments[4];
};

/* What became of that process: 0 when the call succeeds, 1 when it fails, -1 when the process is
 * killed. */
static int outcome(const struct call *c)
{
    pid_t pid = fork();
    if (pid == 0) {
        const uint64_t *a = c->arguments;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            !dropper_filter_install(&drop_caches, ends[0]))
            syscall(SYS_exit, 2);
        syscall(SYS_exit, syscall(c->number, a[0], a[1], a[2], a[3]) < 0);
    }
    int status = 0;
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGSYS);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void what_the_dropper_does_is_allowed(void **state)
{
    (void)state;
    const uint64_t at = (uint64_t)(uintptr_t)&byte;
    const uint64_t socket = (uint64_t)ends[0];
    const uint64_t file = (uint64_t)drop_caches;
    assert_int_equal(write(ends[1], &byte, 1), 1);
    const struct call calls[] = {
        {"read a request", SYS_read, {socket, at, 1}},
        {"write an answer", SYS_write, {socket, at, 1}},
        {"drop the caches", SYS_pwrite64, {file, at, 1, 0}},
        /* The kernel reads only the lower 32 bits of a descriptor. */
        {"drop the caches", SYS_pwrite64, {file | UINT64_C(1) << 32, at, 1, 0}},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (outcome(&calls[i]) != 0)
            fail_msg("%s: %d", calls[i].name, outcome(&calls[i]));
}

static void all_else_kills(void **state)
{
    (void)state;
    const uint64_t at = (uint64_t)(uintptr_t)&byte;
    const uint64_t socket = (uint64_t)ends[0];
    const uint64_t file = (uint64_t)drop_caches;
    const struct call calls[] = {
        {"read from another descriptor", SYS_read, {0, at, 1}},
        {"read from the file", SYS_read, {file, at, 1}},
        {"write to another descriptor", SYS_write, {2, at, 1}},
        {"write to the file at its position", SYS_write, {file, at, 1}},
        {"pwrite to the socket", SYS_pwrite64, {socket, at, 1, 0}},
        {"pwrite to another descriptor", SYS_pwrite64, {2, at, 1, 0}},
        {"pwrite nothing", SYS_pwrite64, {file, at, 0, 0}},
        {"pwrite two bytes", SYS_pwrite64, {file, at, 2, 0}},
        {"pwrite 2^32 + 1 bytes", SYS_pwrite64, {file, at, (UINT64_C(1) << 32) + 1, 0}},
        {"pwrite at 1", SYS_pwrite64, {file, at, 1, 1}},
        {"pwrite at 2^32", SYS_pwrite64, {file, at, 1, UINT64_C(1) << 32}},
        {"open", SYS_openat, {(uint64_t)-100, at, 0, 0}},
        {"socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}},
        {"kill", SYS_kill, {(uint64_t)getpid(), 0}},
        {"prctl", SYS_prctl, {PR_SET_DUMPABLE, 1}},
        {"close", SYS_close, {file}},
        {"getpid", SYS_getpid, {0}},
        {"no call", (long)UINT32_MAX, {0}},
#ifdef __x86_64__ /* x32: filters see the same architecture, but other numbers of calls */
        {"write by its number in x32", 0x40000000 | SYS_write, {socket, at, 1}},
#endif
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (outcome(&calls[i]) != -1)
            fail_msg("%s: %d", calls[i].name, outcome(&calls[i]));
}

int main(void)
{
#ifdef __SANITIZE_THREAD__
    puts("1..0 # SKIP ThreadSanitizer runs a thread in every child, which the filter kills");
    return 0;
#endif
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0) {
        puts("1..0 # SKIP there is no seccomp here: an emulator, or a kernel without it");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_dropper_does_is_allowed),
        cmocka_unit_test(all_else_kills),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
