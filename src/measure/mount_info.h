#ifndef MEASURE_MOUNT_INFO_H
#define MEASURE_MOUNT_INFO_H

#include <stdbool.h>
#include <stdio.h>

#define MOUNT_OPTIONS 512

/* The filesystem that a directory lies on, from stat, /proc and an ioctl. */
struct mount_info {
    const char *root; /* prefix of /sys and /proc, "" but for tests, which have trees of their own.
                         Not owned */
    unsigned major;   /* the device number of the directory's contents; */
    unsigned minor;   /* major 0: a number without a device, made up for the filesystem */
    char filesystem[32]; /* type of the filesystem ("ext4", "nfs4", "fuse.sshfs"); empty: not known
                          */
    char btrfs_uuid[37]; /* UUID of a btrfs, as in /sys/fs/btrfs; empty: it is not a btrfs */
    char options[MOUNT_OPTIONS]; /* of the mount and its filesystem, "rw,relatime,discard"; empty:
                                  * not known; cut where they are longer */
    bool lacks_journal;          /* an ext4 that was made without a journal */
};

/*
 * Fills p for the directory behind fd, which must be open for more than O_PATH. What cannot be
 * found out (without /proc, for example) stays 0 or empty, which is not a failure.
 */
void mount_info_find(struct mount_info *p, int directory_fd);

/*
 * Sets p->filesystem and p->options to the type and the options of the mount with that number (the
 * first column of /proc/self/mountinfo, see proc_pid_mountinfo(5)), and leaves them alone when
 * there is no such mount.
 */
void mount_info_read_mount(struct mount_info *p, long mount_id);

/* Sets p->lacks_journal for the ext4 on p's device, from its entry in sysfs. */
void mount_info_find_journal(struct mount_info *p);

/* Does the same as mount_info_read_mount() from the text of that file. */
void mount_info_read(struct mount_info *p, FILE *mountinfo, long mount_id);

/* The number of a mount from the text of a /proc/self/fdinfo/N; -1: the text does not say. */
long mount_info_id(FILE *fdinfo);

#endif
