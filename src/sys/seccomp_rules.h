// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <endian.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "util/base.h"

/* The pieces that filters of seccomp(2) are made of. */

/* The kernel's name for the numbers of system calls in this build. With other numbers the same call
 * number means something else, so a filter must check this name first. 32-bit architectures are
 * left out: they pass an offset in two registers, each in its own way. */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER == __LITTLE_ENDIAN
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#else
#define ARCHITECTURE 0
#endif

/* Offsets of the lower and the upper half of an argument in struct seccomp_data. */
#define LOW_AT                    (__BYTE_ORDER == __LITTLE_ENDIAN ? 0 : 4)
#define HIGH_AT                   (4 - LOW_AT)
#define ARGUMENT(n)               (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))
#define LOW_HALF(n)               ((uint32_t)(ARGUMENT(n) + LOW_AT))
#define HIGH_HALF(n)              ((uint32_t)(ARGUMENT(n) + HIGH_AT))
#define FIELD(name)               ((uint32_t)offsetof(struct seccomp_data, name))
#define LOAD(at)                  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define ANSWER(action)            BPF_STMT(BPF_RET | BPF_K, (action))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, (count))

/* Skips the next statement of the filter if the loaded word has this value. */
#define SKIP_ONE_IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 1, 0)
#define MUST_BE(value)     SKIP_ONE_IF(value), ANSWER(SECCOMP_RET_KILL_PROCESS)

/* Descriptors have 32 bits: the kernel ignores the upper half of the register. */
#define ALLOW_ON(call, fd)                                                                         \
    SKIP_UNLESS(call, 4), LOAD(LOW_HALF(0)), MUST_BE(fd), ANSWER(SECCOMP_RET_ALLOW)

#define ALLOW(call) SKIP_UNLESS(call, 1), ANSWER(SECCOMP_RET_ALLOW)

/* Confines the calling process to the rules for the rest of its life. Returns false, and confines
 * nothing, if the kernel accepts no filter or the architecture is not known. */
static inline bool seccomp_install(struct sock_filter *rules, size_t count)
{
    const struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
    return ARCHITECTURE != 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
