#include "measure/place.h"

#include <limits.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

long place_mount_id(FILE *fdinfo)
{
    char line[128];
    long id = -1;
    while (id < 0 && fgets(line, sizeof line, fdinfo))
        if (sscanf(line, "mnt_id: %ld", &id) != 1)
            id = -1;
    return id;
}

/*
 * The mount that a descriptor was opened through: exact where one mount hides another, or where
 * the path has been renamed since. -1: not known.
 */
static long mount_of(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *in = fopen(path, "re");
    if (!in)
        return -1;
    long id = place_mount_id(in);
    fclose(in);
    return id;
}

/* The type of the filesystem is the first word behind the lonely hyphen, after any number of tags.
 * Blanks within a word are written as \040. */
static void read_type(struct place *p, const char *line)
{
    const char *type = strstr(line, " - ");
    if (!type)
        return;
    type += strlen(" - ");
    snprintf(p->filesystem, sizeof p->filesystem, "%.*s", (int)strcspn(type, " \n"), type);
}

void place_read_type(struct place *p, FILE *mountinfo, long mount_id)
{
    char *line = NULL; /* of any length: an overlay names all its layers */
    size_t room = 0;
    while (getline(&line, &room, mountinfo) > 0) {
        if (strtol(line, NULL, 10) == mount_id) {
            read_type(p, line);
            break;
        }
    }
    free(line);
}

void place_read_mount(struct place *p, long mount_id)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", p->root);
    FILE *in = fopen(path, "re");
    if (!in)
        return;
    place_read_type(p, in, mount_id);
    fclose(in);
}

/* A btrfs on any number of devices has a made-up device number, a subvolume even one of its own;
 * its UUID leads to the devices. */
static void read_btrfs_uuid(struct place *p, int fd)
{
    struct statfs fs;
    struct btrfs_ioctl_fs_info_args info = {0};
    if (fstatfs(fd, &fs) != 0 || fs.f_type != BTRFS_SUPER_MAGIC ||
        ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0)
        return;
    char *end = p->btrfs_uuid;
    for (size_t i = 0; i < sizeof info.fsid; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *end++ = '-';
        end += sprintf(end, "%02x", info.fsid[i]);
    }
}

void place_find(struct place *p, int directory_fd)
{
    *p = (struct place){.root = ""};
    struct stat st;
    if (fstat(directory_fd, &st) != 0)
        return;
    p->major = major(st.st_dev);
    p->minor = minor(st.st_dev);
    place_read_mount(p, mount_of(directory_fd));
    read_btrfs_uuid(p, directory_fd);
}
