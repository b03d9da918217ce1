// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * What the C libraries of Linux do not have in common: glibc has all of it, and musl 1.2 some.
 * Other code calls these functions, and never asks for the C library.
 */

/* linux/fs.h has this, too, but cannot be included beside the headers of every C library. */
#ifndef RWF_DSYNC
#define RWF_DSYNC 0x00000002
#endif

/*
 * What an errno means, in glibc's words whatever the C library is, because scripts look for them.
 * The text is constant, and no memory is allocated, so forked seekers can call this, too.
 */
const char *portable_reason(int code);

/*
 * The running C library: "glibc 2.36" or "musl", which has no call for its version. How many bytes
 * putc() and getc() move at a time depends on its stdio.
 */
void portable_c_library(char *name, size_t size);

/* Calls close_range(2). Returns whether all descriptors from `first` to `last` are closed. */
bool portable_close_range(unsigned first, unsigned last);

/* Calls pwritev2(2) at an offset of 0 or more. */
ssize_t portable_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* Calls ioctl(2). Its request is an int in some C libraries. */
int portable_ioctl(int fd, unsigned long request, void *argument);
