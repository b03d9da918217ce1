// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "measure/mount_info.h"
#include "sys/path.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"

/* XFS_IOC_GOINGDOWN of the kernel's fs/xfs/libxfs/xfs_fs.h; ext4 and f2fs support it, too. */
#define IOC_SHUTDOWN           _IOR('X', 125, uint32_t)
#define SHUTDOWN_WITHOUT_FLUSH 2

static bool is_boncut(pid_t process)
{
    char path[40];
    char name[32];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    return kernel_file_text(path, name, sizeof name) && strcmp(name, "boncut\n") == 0;
}

/*
 * Kills the runs at work on this filesystem, which are known by their locks there: a line of
 * /proc/locks is "7: FLOCK ADVISORY WRITE 1234 fe:00:42 0 EOF". A power failure stops the program
 * at the same moment, so an fsync that is under way reports nothing. A shutdown alone does not: on
 * ext4 such an fsync may return success, though its transaction is dropped.
 */
static void kill_writers(dev_t device)
{
    FILE *locks = kernel_file_read("/proc/locks");
    char line[256];
    int process;
    unsigned major_number, minor_number;
    while (locks && fgets(line, sizeof line, locks))
        if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %x:%x:", &process, &major_number,
                   &minor_number) == 3 &&
            makedev(major_number, minor_number) == device && process > 0 && is_boncut(process) &&
            kill(process, SIGKILL) == 0)
            message("killed process %d, which was writing here, as a power cut would", process);
    if (locks)
        fclose(locks);
}

int boncut_fs_shutdown(const struct settings *s, struct err *e)
{
    const char *path = s->directory;
    struct mount_info mount;
    struct stat st, root;
    uint32_t how = SHUTDOWN_WITHOUT_FLUSH;
    int fd = path_open_to_list(path, PATH_FAILS, e);
    int rc = 0;
    if (fd < 0)
        return fd;
    mount_info_find(&mount, fd);
    bool is_known = fstat(fd, &st) == 0;
    if (is_known && stat("/", &root) == 0 && st.st_dev == root.st_dev)
        rc = err_say(e, "%s is on the root filesystem, which this system cannot do without", path);
    else if (is_known)
        kill_writers(st.st_dev);
    if (rc == 0 && portable_ioctl(fd, IOC_SHUTDOWN, &how) != 0)
        rc = errno == ENOTTY || errno == EOPNOTSUPP || errno == EINVAL
                 ? err_say(e, "%s: %s cannot be shut down; ext4, xfs and f2fs can", path,
                           *mount.filesystem ? mount.filesystem : "this filesystem")
                 : err_system(e, errno, "shut down the filesystem of %s", path);
    close(fd);
    if (rc == 0)
        printf(
            "The filesystem of %s is shut down, and what it had in memory is lost. Unmount it and "
            "mount it again before the check.\nThis tests the filesystem alone: the drive has lost "
            "nothing.\n",
            printable(path).text);
    return rc;
}
