#ifndef BONNIE_MEASURE_PLACE_H
#define BONNIE_MEASURE_PLACE_H

#include <stdio.h>

/* Where a directory lies, as the kernel tells it through stat, /proc and an ioctl. */
struct place {
    const char *root;    /* of /sys and /proc: ""; tests have trees of their own. Not owned */
    unsigned major;      /* the device number of what is in the directory; */
    unsigned minor;      /* major 0: not a device but a number that the filesystem was given */
    char filesystem[32]; /* its type ("ext4", "nfs4", "fuse.sshfs"); empty: not known */
    char btrfs_uuid[37]; /* of a btrfs, as in /sys/fs/btrfs; empty: it is none */
};

/*
 * Fills p for the directory behind fd, which must be open for more than O_PATH. What cannot be
 * found out (there is no /proc, say) stays 0 or empty; that is no failure.
 */
void place_find(struct place *p, int directory_fd);

/*
 * Sets p->filesystem to the type of the mount of that number (the first column of
 * /proc/self/mountinfo, see proc_pid_mountinfo(5)) and leaves it alone when there is none.
 */
void place_read_mount(struct place *p, long mount_id);

/* The same from the text of that file. */
void place_read_type(struct place *p, FILE *mountinfo, long mount_id);

/* The number of a mount from the text of a /proc/self/fdinfo/N; -1: it does not say. */
long place_mount_id(FILE *fdinfo);

#endif
