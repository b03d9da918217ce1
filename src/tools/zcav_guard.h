#ifndef TOOLS_ZCAV_GUARD_H
#define TOOLS_ZCAV_GUARD_H

#include <stdbool.h>
#include <sys/stat.h>

#include "util/err.h"

/*
 * Whether zcav -w may write to what `st` is about. Refused is what is mounted or used as swap, a
 * plain file that a loop device stands on, what is neither a block device nor a plain file, and a
 * block device without `yes`. The names of who uses it come from /proc and /sys; that nobody else
 * holds a device is made sure by opening it with O_EXCL (zcav_device.c).
 *
 * Returns 0, or -EBUSY or -EINVAL with a line in e.
 */
int zcav_guard(const char *path, const struct stat *st, bool yes, struct err *e);

#endif
