#ifndef TOOLS_ZCAV_GUARD_H
#define TOOLS_ZCAV_GUARD_H

#include <stdbool.h>
#include <sys/stat.h>

#include "util/err.h"

/*
 * Whether zcav -w may write to the file that `st` describes. It refuses what is mounted or used as
 * swap, the backing file of a loop device, anything but block devices and regular files, and,
 * without `yes`, block devices. It recognises files in use by device and inode. Opening a block
 * device with O_EXCL (zcav_device.c) makes sure that nobody else uses it.
 *
 * Returns 0, or -EBUSY or -EINVAL with a line in e.
 */
int zcav_guard(const char *path, const struct stat *st, bool yes, struct err *e);

#endif
