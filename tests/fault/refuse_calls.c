// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a command in which system calls fail, as on an older kernel or in a container with a filter:
 *
 *     refuse_calls ENOSYS|EPERM CALL[,CALL]... COMMAND [ARGUMENT]... */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* A call, and the bits of one of its arguments for which it fails; without bits, it always
 * fails. */
static const struct call {
    const char *name;
    long number;
    int argument;
    uint32_t bits;
} calls[] = {
    {"openat2", SYS_openat2, 0, 0},
    {"statx", SYS_statx, 0, 0},
    {"cachestat", SYS_cachestat, 0, 0},
    {"process_vm_readv", SYS_process_vm_readv, 0, 0},
    {"io_uring", SYS_io_uring_setup, 0, 0},
    {"libaio", SYS_io_setup, 0, 0},
    {"tmpfile", SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY},
    {"memfd", SYS_memfd_create, 0, 0},
    {"close_range", SYS_close_range, 0, 0},
    {"getrandom", SYS_getrandom, 0, 0},
    {"seccomp", SYS_seccomp, 0, 0},
    {"seccomp", SYS_prctl, 0, PR_SET_SECCOMP},
};
#define CALLS (sizeof calls / sizeof *calls)

/* The low half of an argument, or the number of the call. */
static uint32_t place_of(int argument)
{
    uint32_t half = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    return (uint32_t)(offsetof(struct seccomp_data, args) + (size_t)argument * 8) + half;
}

/* Adds the statements that make one call fail. Returns their number. */
static size_t add_rule(struct sock_filter *rule, const struct call *c, uint32_t answer)
{
    const struct sock_filter statements[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place_of(c->argument)),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, c->bits),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c->bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
    };
    memcpy(rule, statements, sizeof statements);
    return sizeof statements / sizeof *statements;
}

int main(int count, char **words)
{
    struct sock_filter rules[8 * CALLS];
    size_t used = 0;
    if (count < 4)
        return 125;
    uint32_t code = strcmp(words[1], "EPERM") == 0 ? EPERM : ENOSYS;
    for (char *name = strtok(words[2], ","); name; name = strtok(NULL, ","))
        for (size_t i = 0; i < CALLS; i++)
            if (strcmp(calls[i].name, name) == 0)
                used += add_rule(rules + used, &calls[i], SECCOMP_RET_ERRNO | code);
    rules[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {.len = (unsigned short)used, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
        perror("refuse_calls");
        return 125;
    }
    execvp(words[3], words + 3);
    perror(words[3]);
    return 125;
}
