// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/portable.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#ifdef HAVE_STRERRORDESC_NP

const char *portable_reason(int code)
{
    const char *reason = strerrordesc_np(code);
    return reason ? reason : "unknown error";
}

#else

/* Why files, devices and networks fail, where musl has other words than glibc, or none. */

static const struct {
    int code;
    const char *reason;
} reasons[] = {
    {EADDRINUSE, "Address already in use"},
    {EADDRNOTAVAIL, "Cannot assign requested address"},
    {EBADE, "Invalid exchange"},
    {EBUSY, "Device or resource busy"},
    {ECHILD, "No child processes"},
    {ECONNABORTED, "Software caused connection abort"},
    {EDEADLK, "Resource deadlock avoided"},
    {EDQUOT, "Disk quota exceeded"},
    {EHOSTUNREACH, "No route to host"},
    {EHWPOISON, "Memory page has hardware error"},
    {EILSEQ, "Invalid or incomplete multibyte or wide character"},
    {EINPROGRESS, "Operation now in progress"},
    {EIO, "Input/output error"},
    {EISCONN, "Transport endpoint is already connected"},
    {ELOOP, "Too many levels of symbolic links"},
    {EMFILE, "Too many open files"},
    {EMSGSIZE, "Message too long"},
    {ENAMETOOLONG, "File name too long"},
    {ENETRESET, "Network dropped connection on reset"},
    {ENETUNREACH, "Network is unreachable"},
    {ENODATA, "No data available"},
    {ENOMEM, "Cannot allocate memory"},
    {ENOTCONN, "Transport endpoint is not connected"},
    {ENOTSOCK, "Socket operation on non-socket"},
    {ENOTTY, "Inappropriate ioctl for device"},
    {ENXIO, "No such device or address"},
    {EOPNOTSUPP, "Operation not supported"},
    {EOVERFLOW, "Value too large for defined data type"},
    {ERANGE, "Numerical result out of range"},
    {EREMOTE, "Object is remote"},
    {ESHUTDOWN, "Cannot send after transport endpoint shutdown"},
    {ESPIPE, "Illegal seek"},
    {ETIME, "Timer expired"},
    {ETIMEDOUT, "Connection timed out"},
    {EUCLEAN, "Structure needs cleaning"},
    {EXDEV, "Invalid cross-device link"},
};

/* musl's strerror() has constant texts, and a single one for all codes that it does not know. */
const char *portable_reason(int code)
{
    const char *reason = strerror(code);
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (reasons[i].code == code)
            return reasons[i].reason;
    return reason == strerror(-1) ? "unknown error" : reason;
}

#endif

void portable_c_library(char *name, size_t size)
{
#ifdef __GLIBC__
    snprintf(name, size, "glibc %s", gnu_get_libc_version());
#else
    snprintf(name, size, "musl");
#endif
}

bool portable_close_range(unsigned first, unsigned last)
{
    return syscall(SYS_close_range, first, last, 0) == 0;
}

_Static_assert(sizeof(struct portable_statx) == 256, "the size of struct statx");

bool portable_statx(int fd, unsigned mask, struct portable_statx *facts)
{
    return syscall(SYS_statx, fd, "", AT_EMPTY_PATH, mask, facts) == 0;
}

ssize_t portable_pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
#ifdef HAVE_PWRITEV2
    return pwritev2(fd, parts, count, offset, flags);
#else
    return syscall(SYS_pwritev2, fd, parts, count, offset, 0, flags);
#endif
}

#ifdef __GLIBC__
typedef unsigned long ioctl_request;
#else
typedef int ioctl_request;
#endif

int portable_ioctl(int fd, unsigned long request, void *argument)
{
    return ioctl(fd, (ioctl_request)request, argument);
}
