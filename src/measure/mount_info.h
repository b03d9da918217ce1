// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/types.h>

#include "util/base.h"

/* The type of a filesystem, "xfs", by f_type of statfs(2) (linux/magic.h or its own source); NULL:
 * unknown. ext2 and ext3 are "ext4", too, and every FUSE filesystem is "fuse". */
const char *filesystem_name(unsigned long type);

/* Whether a filesystem of this type keeps everything in memory. */
bool filesystem_is_memory(const char *type);

#define MOUNT_OPTIONS 512
#define MOUNT_OPTION  64
#define MAX_OVERLAYS  2 /* one may lie on another, but the kernel allows no third */

/* Nobody is known to have made a mount: the kernel does not list it, or a service mounted it. */
#define MOUNT_BY_UNKNOWN ((uid_t)65534)

/* The filesystem of a directory, as stat(2), /proc and an ioctl show it. */
struct mount_info {
    const char *root;    /* prefix of /sys and /proc, "" except in tests; not owned */
    unsigned major;      /* device number of the directory's contents */
    unsigned minor;      /* major 0: the number has no device; the filesystem made it up */
    char filesystem[32]; /* type of the filesystem ("ext4", "nfs4", "fuse.sshfs"); empty: unknown */
    char point[PATH_MAX]; /* where it is mounted, as the kernel writes it: a blank is \040 */
    char source[256];     /* what is mounted, in the same form: "server:/export"; empty: unknown */
    char uuid[37];        /* UUID of the filesystem, "01234567-89ab-..."; empty: unknown */
    /* options of the mount and its filesystem, "rw,relatime"; empty: unknown; those with a path
       come last, and are cut if they do not fit, as is one longer than MOUNT_OPTION */
    char options[MOUNT_OPTIONS];
    char upper_layer[PATH_MAX]; /* of an overlay, as its mounter has the path; empty: none */
    bool is_part;        /* not the root of the filesystem is mounted, but a directory in it */
    bool lacks_journal;  /* this is an ext4 without a journal */
    double used_percent; /* of its space, as df(1) counts it; 0: unknown */
};

/* Describes the filesystem of the directory behind directory_fd, which must not be open with
 * O_PATH. What cannot be found out, as without /proc, stays 0 or empty. */
void mount_info_find(struct mount_info *p, int directory_fd);

/* Whether a directory is on the filesystem of an overlay's upper layer, whose sizes statfs(2) of an
 * overlay returns. Its path may lead elsewhere in the mounts of a container. */
bool mount_info_is_upper(int overlay_fd, int fd);

/* Opens the upper layer of an overlay whose directory is behind directory_fd. Returns a descriptor,
 * or -1: p is no overlay, or the layer cannot be seen from here. */
int mount_info_open_upper(const struct mount_info *p, int directory_fd);

/* Sets p->filesystem, point, source and options to those of the mount with that number (the first
 * column of /proc/self/mountinfo, see proc_pid_mountinfo(5)). Leaves them alone if there is no such
 * mount. Cuts the text of that file, which may be NULL, into lines. */
void mount_info_read_mount(struct mount_info *p, char *mountinfo, long mount_id);

/* Does the same for the mount that a path is in, and sets p->major and minor. Goes by the text of
 * mountinfo below p->root alone: a look at the path would hang if what serves it is dead. */
void mount_info_of_path(struct mount_info *p, const char *path);

/* Sets p->lacks_journal for an ext4, from the entry of p's device in sysfs. */
void mount_info_find_journal(struct mount_info *p);

/* Copies a path in which the kernel wrote some characters as \040. Empty: it is too long. */
void mount_info_read_path(char path[PATH_MAX], const char *text, size_t length);

/* Whether the mount or its filesystem has this option, "barrier=0". */
bool mount_info_has(const struct mount_info *p, const char *option);

/* The number of the mount through which a descriptor was opened, even a hidden one; -1: unknown. */
long mount_info_id_of(int fd);

/* The user who made the filesystem of a mount, or brought it: whose process shows it (FUSE), or who
 * asked mount(8) for it. 0: root, or what is not on record. */
uid_t mount_info_maker(const char *root, long mount_id);
