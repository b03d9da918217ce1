#include "boncut/fs_shutdown.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/mount_info.h"
#include "sys/below.h"
#include "util/portable.h"

/* XFS_IOC_GOINGDOWN of the kernel's fs/xfs/libxfs/xfs_fs.h; ext4 and f2fs support it, too. */
#define IOC_SHUTDOWN           _IOR('X', 125, uint32_t)
#define SHUTDOWN_WITHOUT_FLUSH 2

/* Whether fd is on the root filesystem: shutting that down would stop this system. */
static bool is_root_filesystem(int fd)
{
    struct stat st, root;
    return fstat(fd, &st) == 0 && stat("/", &root) == 0 && st.st_dev == root.st_dev;
}

static int shut_down(const char *path, int fd, struct err *e)
{
    struct mount_info mount;
    uint32_t how = SHUTDOWN_WITHOUT_FLUSH;
    mount_info_find(&mount, fd);
    if (is_root_filesystem(fd))
        return err_say(e, "%s is on the root filesystem, which this system cannot do without",
                       path);
    if (portable_ioctl(fd, IOC_SHUTDOWN, &how) == 0)
        return 0;
    if (errno == ENOTTY || errno == EOPNOTSUPP || errno == EINVAL)
        return err_say(e, "%s: %s cannot be shut down; ext4, xfs and f2fs can", path,
                       *mount.filesystem ? mount.filesystem : "this filesystem");
    return err_system(e, errno, "shut down the filesystem of %s", path);
}

int boncut_fs_shutdown(const struct settings *s, struct err *e)
{
    int fd = below_open_directory(s->directory, BELOW_FAILS, e);
    if (fd < 0)
        return fd;
    int rc = shut_down(s->directory, fd, e);
    close(fd);
    if (rc == 0)
        printf(
            "The filesystem of %s is shut down, and what it had in memory is lost. Unmount it and "
            "mount it again before the check.\nThis tests the filesystem alone: the drive has lost "
            "nothing.\n",
            s->directory);
    return rc;
}
