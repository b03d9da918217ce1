#ifndef TOOLS_ZCAV_LOOPS_H
#define TOOLS_ZCAV_LOOPS_H

#include <sys/stat.h>

#include "util/err.h"

/*
 * Finds out whether a regular file is the backing file of a loop device. Compares files by device
 * and inode, so their names do not matter. A device accesses its backing file to answer, and does
 * not answer while that file's server is dead; so a separate process asks, and has a few seconds
 * for each device. Returns 0 if no device uses the file, or a negative errno with a line in e that
 * begins with "-w: ": -EBUSY if a device does, and -ETIMEDOUT if a device has not answered. `path`
 * is for the message.
 */
int zcav_loops_refuse(const char *path, const struct stat *st, struct err *e);

#endif
