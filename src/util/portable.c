#include "util/portable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Where musl has other words than glibc. */
static const struct {
    int code;
    const char *reason;
} reasons[] = {
    {EADDRINUSE, "Address already in use"},
    {EBUSY, "Device or resource busy"},
    {ECHILD, "No child processes"},
    {EDQUOT, "Disk quota exceeded"},
    {EHOSTUNREACH, "No route to host"},
    {EIO, "Input/output error"},
    {ELOOP, "Too many levels of symbolic links"},
    {EMFILE, "Too many open files"},
    {ENAMETOOLONG, "File name too long"},
    {ENODATA, "No data available"},
    {ENOMEM, "Cannot allocate memory"},
    {ENOTTY, "Inappropriate ioctl for device"},
    {ENXIO, "No such device or address"},
    {EOPNOTSUPP, "Operation not supported"},
    {EOVERFLOW, "Value too large for defined data type"},
    {ETIMEDOUT, "Connection timed out"},
    {EXDEV, "Invalid cross-device link"},
};

/* strerror() of musl has constant texts, and one of them for all codes that it does not know. */
const char *portable_reason(int code)
{
    const char *reason = strerror(code);
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
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
