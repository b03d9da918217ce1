#ifndef UTIL_PORTABLE_H
#define UTIL_PORTABLE_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * What Linux's C libraries do not have in common: glibc has all of it, musl 1.2 some. Code
 * elsewhere calls these functions, and asks for no C library.
 */

/* linux/fs.h has it, too, but cannot be included together with every C library's own headers. */
#ifndef RWF_DSYNC
#define RWF_DSYNC 0x00000002
#endif

/*
 * What an errno code means, in glibc's words whatever the C library is, because scripts look for
 * them. The text is constant; no memory is allocated, so that forked seekers may ask, too.
 */
const char *portable_reason(int code);

/*
 * The C library that runs: "glibc 2.36", or "musl", which has no call that tells its version. Its
 * stdio decides how much putc() and getc() move at a time.
 */
void portable_c_library(char *name, size_t size);

/* close_range(2). Returns whether all descriptors from first to last are closed. */
bool portable_close_range(unsigned first, unsigned last);

/* pwritev2(2) at an offset of 0 or more. */
ssize_t portable_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* ioctl(2), whose request is an int in some C libraries. */
int portable_ioctl(int fd, unsigned long request, void *argument);

#endif
