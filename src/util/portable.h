// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include "util/base.h"

/* What the C libraries of Linux do not have in common: glibc has all of it, and musl 1.2 some.
 * Other code calls these functions, and never asks for the C library. */

/* linux/fs.h has this, too, but cannot be included beside the headers of every C library. */
#ifndef RWF_DSYNC
#define RWF_DSYNC 0x00000002
#endif
#ifndef RWF_ATOMIC
#define RWF_ATOMIC 0x00000040 /* since Linux 6.11 */
#endif

/* What an errno means, in glibc's words whatever the C library is, because scripts look for them. A
 * constant text, without any allocation, so forked seekers can call this, too. */
const char *portable_reason(int code);

/* The running C library, whose stdio decides what putc() and getc() move: "glibc 2.36", "musl". */
void portable_c_library(char *name, size_t size);

/* Calls close_range(2). Returns whether all descriptors from `first` to `last` are closed. */
bool portable_close_range(unsigned first, unsigned last);

/* Calls pwritev2(2) at an offset of 0 or more. */
ssize_t portable_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* The kernel's struct statx, of which C libraries may have an older one. */
struct portable_statx {
    uint32_t mask;
    uint32_t unused_block;
    uint64_t attributes;
    uint32_t unused_owner[4];
    uint64_t inode;
    uint64_t unused_sizes[5];
    int64_t birth_seconds;
    uint32_t birth_nanoseconds;
    uint32_t unused_times[13];
    uint64_t mount_id;
    uint32_t unused_alignment;
    uint32_t direct_alignment; /* of the place of a direct transfer, in bytes */
    uint64_t subvolume;
    uint32_t atomic_write_min; /* bytes */
    uint32_t atomic_write_max;
    uint64_t rest[10];
};

/* Bits of its mask, and two of its attributes; C libraries may lack those as well. */
#define PORTABLE_STATX_INODE        0x0100U
#define PORTABLE_STATX_BASIC        0x07ffU
#define PORTABLE_STATX_BIRTH        0x0800U
#define PORTABLE_STATX_ALIGNMENT    0x2000U  /* since Linux 6.1 */
#define PORTABLE_STATX_UNIQUE_MOUNT 0x4000U  /* since Linux 6.8 */
#define PORTABLE_STATX_SUBVOLUME    0x8000U  /* since Linux 6.10 */
#define PORTABLE_STATX_WRITE_ATOMIC 0x10000U /* since Linux 6.11 */
#define PORTABLE_STATX_ATTR_ROOT    0x2000U  /* of a mount; since Linux 5.8 */
#define PORTABLE_STATX_ATTR_ATOMIC  0x400000U

/* Calls statx(2) for an open file. Returns false if the kernel does not have it. */
bool portable_statx(int fd, unsigned mask, struct portable_statx *facts);

/* Calls ioctl(2). Its request is an int in some C libraries. */
int portable_ioctl(int fd, unsigned long request, void *argument);
