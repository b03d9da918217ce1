// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/stat.h>

#include "util/err.h"

/* What must not be overwritten, for every program that writes to a device or over a file of the
 * user's. Refused is whatever is mounted, used as swap, held by a RAID, a volume or another
 * process, or used by a loop device; also a disk with a partition, and a partition of a disk, of
 * which one of these holds.
 *
 * The kernel decides about mounts and holders, also those of other namespaces: O_EXCL fails, and
 * keeps others from mounting the device while the descriptor is open. It knows nothing of a loop
 * device above, which is found by the text of its backing_file alone: that file is not touched,
 * because its server may be dead. So a loop device that was set up by another name of the same file
 * (a hard link, a mount elsewhere) is not seen. */

/* What is to be written. */
struct guarded {
    const char *root;   /* prefix of /proc and /sys; tests have trees of their own */
    const char *option; /* for messages: "-w" */
    const char *name;   /* for messages, as the user gave it */
    struct stat facts;
    char path[PATH_MAX]; /* its path, as the kernel shows it */
};

/* Finds where the device is mounted, as this process sees it; an empty text: nowhere. */
void guards_find_mount(const char *root, dev_t device, char where[static PATH_MAX]);

/* Refuses what others use, as far as texts of the kernel say so. Returns 0, or -EBUSY with e. */
int guards_refuse(const struct guarded *g, struct err *e);

/* Opens the block device or regular file behind fd again, with these flags, if nobody uses it; a
 * block device with O_EXCL, and only if the user confirms with `yes` that its contents, which a
 * line names, are lost. Returns the descriptor, or a negative errno with a line in e. */
int guards_open(int fd, int flags, const char *option, bool yes, const char *name, struct err *e);
