// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "measure/mount_info.h"
#include "sys/path.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"

/* XFS_IOC_GOINGDOWN of the kernel's fs/xfs/libxfs/xfs_fs.h; ext4 and f2fs support it, too. */
#define IOC_SHUTDOWN           _IOR('X', 125, uint32_t)
#define SHUTDOWN_WITHOUT_FLUSH 2

/* A run opens its owner file early, so that its lock has a small descriptor. */
#define MOST_DESCRIPTORS 256

/*
 * Whether that process is boncut, and has a lock of which /proc shows this text: the number in it
 * is that of the process which took the lock, and may have ended since and left it to a child.
 */
static bool has_lock(int process, const char *lock)
{
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/comm", process);
    if (!kernel_file_text(path, text, sizeof text) || strcmp(text, "boncut\n") != 0)
        return false;
    for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
        snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", process, fd);
        if (kernel_file_text(path, text, sizeof text) && strstr(text, lock))
            return true;
    }
    return false;
}

/*
 * Kills the runs at work on this filesystem, which are known by their locks there: a line of
 * /proc/locks is "7: FLOCK  ADVISORY  WRITE 1234 fe:00:42 0 EOF". A power failure stops the program
 * at the same moment, so an fsync that is under way reports nothing. A shutdown alone does not: on
 * ext4 such an fsync may return success, though its transaction is dropped.
 */
static void kill_writers(dev_t device)
{
    FILE *locks = kernel_file_read("/proc/locks");
    char line[256];
    int process;
    unsigned major_number, minor_number;
    while (locks && fgets(line, sizeof line, locks)) {
        const char *lock = strstr(line, "FLOCK");
        if (!lock ||
            sscanf(lock, "FLOCK ADVISORY WRITE %d %x:%x:", &process, &major_number,
                   &minor_number) != 3 ||
            makedev(major_number, minor_number) != device || process <= 0)
            continue;
        /* no other process that may have the number by then */
        int fd = (int)syscall(SYS_pidfd_open, process, 0);
        if (fd >= 0 && has_lock(process, lock) &&
            syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
            message("killed process %d, which was writing here, as a power cut would", process);
        descriptor_close(&fd);
    }
    if (locks)
        fclose(locks);
}

/* Whether this system's root is on the filesystem, or is an overlay whose upper layer is. */
static bool is_of_root(int fd, dev_t device)
{
    struct stat root;
    int root_fd = kernel_file_open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_same = root_fd < 0 || fstat(root_fd, &root) != 0 || root.st_dev == device ||
                   mount_info_is_upper(root_fd, fd);
    descriptor_close(&root_fd);
    return is_same;
}

int boncut_fs_shutdown(const struct settings *s, struct err *e)
{
    const char *path = s->directory;
    struct mount_info mount;
    struct portable_statx facts = {0};
    struct stat st;
    uint32_t how = SHUTDOWN_WITHOUT_FLUSH;
    int fd = path_open_to_list(path, PATH_FAILS, e);
    int rc = 0;
    if (fd < 0)
        return fd;
    mount_info_find(&mount, fd);
    if (fstat(fd, &st) != 0)
        rc = err_system(e, errno, "look at %s", path);
    else if (is_of_root(fd, st.st_dev))
        rc = err_say(e, "%s is on the root filesystem, which this system cannot do without", path);
    else if (!portable_statx(fd, 0, &facts) || !(facts.attributes & PORTABLE_STATX_ATTR_ROOT))
        rc = err_say(e, "%s: nothing is mounted here; give the directory of the mount", path);
    else
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
