#ifndef TOOLS_ZCAV_LOOPS_H
#define TOOLS_ZCAV_LOOPS_H

#include <sys/stat.h>

#include "util/err.h"

/*
 * Finds out whether a regular file is the backing file of a loop device. Files are compared by
 * device and inode, so their names do not matter. A device that is asked accesses its file, and
 * does not answer while the file's server does not; so a separate process asks, and has a few
 * seconds for each device. Returns 0 if none does, or a negative errno with a line in e, which
 * begins with "-w: ": -EBUSY if one does, -ETIMEDOUT if one has not answered. path is for the
 * message.
 */
int zcav_loops_refuse(const char *path, const struct stat *st, struct err *e);

#endif
