#ifndef MEASURE_MOUNT_INFO_H
#define MEASURE_MOUNT_INFO_H

#include <stdbool.h>
#include <stdio.h>

#define MOUNT_OPTIONS 512

/* Where a directory lies, as the kernel tells it through stat, /proc and an ioctl. */
struct mount_info {
    const char *root;    /* of /sys and /proc: ""; tests have trees of their own. Not owned */
    unsigned major;      /* the device number of what is in the directory; */
    unsigned minor;      /* major 0: not a device but a number that the filesystem was given */
    char filesystem[32]; /* its type ("ext4", "nfs4", "fuse.sshfs"); empty: not known */
    char btrfs_uuid[37]; /* of a btrfs, as in /sys/fs/btrfs; empty: it is none */
    char options[MOUNT_OPTIONS]; /* of the mount and its filesystem, "rw,relatime,discard"; empty:
                                  * not known; cut where they are longer */
    bool lacks_journal;          /* it is an ext4 that was made without a journal */
};

/*
 * Fills p for the directory behind fd, which must be open for more than O_PATH. What cannot be
 * found out (there is no /proc, say) stays 0 or empty; that is no failure.
 */
void mount_info_find(struct mount_info *p, int directory_fd);

/*
 * Sets p->filesystem and p->options to the type and the options of the mount of that number (the
 * first column of /proc/self/mountinfo, see proc_pid_mountinfo(5)) and leaves them alone when there
 * is none.
 */
void mount_info_read_mount(struct mount_info *p, long mount_id);

/* Sets p->lacks_journal for the ext4 on p's device, by what sysfs has of it. */
void mount_info_find_journal(struct mount_info *p);

/* The same from the text of that file. */
void mount_info_read(struct mount_info *p, FILE *mountinfo, long mount_id);

/* The number of a mount from the text of a /proc/self/fdinfo/N; -1: it does not say. */
long mount_info_id(FILE *fdinfo);

#endif
