// SPDX-License-Identifier: GPL-2.0-or-later
#include "boncut/options.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "measure/device.h"
#include "sys/path.h"
#include "util/descriptor.h"
#include "util/kernel_file.h"
#include "util/portable.h"

/* XFS_IOC_GOINGDOWN of the kernel's fs/xfs/libxfs/xfs_fs.h; ext4 and f2fs support it, too. */
#define IOC_SHUTDOWN           _IOR('X', 125, uint32_t)
#define SHUTDOWN_WITHOUT_FLUSH 2

/* Kills the runs at work on this filesystem, known by their locks there: a line of /proc/locks is
 * "7: FLOCK  ADVISORY  WRITE 1234 fe:00:42 0 EOF". The number is that of the process which took the
 * lock, and may have ended and left it to a child: so it must be boncut, and have that lock. A
 * power failure stops the program, too, so an fsync that is under way reports nothing. After a
 * shutdown alone it may: on ext4 it may return success, though its transaction is dropped. */
static void kill_writers(dev_t device)
{
    FILE *locks = kernel_file_read("/proc/locks");
    char line[256];
    char path[64];
    char text[1024];
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
        int process_fd = (int)syscall(SYS_pidfd_open, process, 0);
        bool has_lock = false;
        snprintf(path, sizeof path, "/proc/%d/comm", process);
        bool is_ours = kernel_file_text(path, text, sizeof text) && strcmp(text, "boncut\n") == 0;
        /* a run opens its owner file early, so that its lock has a small descriptor */
        for (int fd = 0; is_ours && !has_lock && fd < 256; fd++) {
            snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", process, fd);
            has_lock = kernel_file_text(path, text, sizeof text) && strstr(text, lock);
        }
        if (process_fd >= 0 && has_lock &&
            syscall(SYS_pidfd_send_signal, process_fd, SIGKILL, NULL, 0) == 0)
            message("killed process %d, which was writing here, as a power cut would", process);
        descriptor_close(&process_fd);
    }
    if (locks)
        fclose(locks);
}

/* Whether a path is on the filesystem with this device, or on a loop device whose file is there. */
static bool is_on(const char *path, dev_t device)
{
    struct mount_info mount = {.root = ""};
    struct device_set below;
    mount_info_of_path(&mount, path);
    device_find(&below, &mount);
    return makedev(mount.major, mount.minor) == device ||
           device_set_has(&below, major(device), minor(device));
}

/* Whether this system's root, or a layer of it, "lowerdir=/a:/b,upperdir=/c", is there. */
static bool is_below_root(dev_t device)
{
    bool is_it = is_on("/", device);
    char *text = kernel_file_whole("", "/proc/self/mountinfo");
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        char point[PATH_MAX];
        char *options = strstr(line, " - overlay ");
        if (!options || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 || strcmp(point, "/"))
            continue;
        options = strrchr(options, ' ') + 1;
        for (char *layer; !is_it && (layer = strsep(&options, "=:,"));) {
            char path[PATH_MAX];
            mount_info_read_path(path, layer, strlen(layer));
            is_it = *path == '/' && is_on(path, device);
        }
    }
    free(text);
    return is_it;
}

int boncut_fs_shutdown(const struct settings *s, struct err *e)
{
    const char *path = s->directory;
    struct mount_info mount;
    struct portable_statx facts = {0};
    struct stat st, root;
    uint32_t how = SHUTDOWN_WITHOUT_FLUSH;
    int fd = path_open_to_list(path, PATH_FAILS, e);
    int rc = 0;
    if (fd < 0)
        return fd;
    /* the root may be there, or an overlay whose upper layer is, by another path in a container */
    int root_fd = kernel_file_open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mount_info_find(&mount, fd);
    if (fstat(fd, &st) != 0)
        rc = err_system(e, errno, "look at %s", path);
    else if (root_fd < 0 || fstat(root_fd, &root) != 0 || root.st_dev == st.st_dev ||
             mount_info_is_upper(root_fd, fd) || is_below_root(st.st_dev))
        rc = err_say(
            e, "%s is on the root filesystem or below it, which this system cannot do without",
            path);
    else if (!portable_statx(fd, 0, &facts) || !(facts.attributes & PORTABLE_STATX_ATTR_ROOT))
        rc = err_say(e, "%s: nothing is mounted here; give the directory of the mount", path);
    else if (*mount.point == '\0')
        rc = err_say(e, "%s: what is mounted here cannot be read from /proc/self/mountinfo", path);
    else if (mount.is_part)
        rc = err_say(e, "%s: only a part of its filesystem is mounted here", path);
    else if (!path_stays(fd))
        rc = err_say(e,
                     "%s: another user can move a directory above, so something else may be "
                     "mounted here by now; mount it where nobody else can",
                     path);
    else
        kill_writers(st.st_dev);
    if (rc == 0 && portable_ioctl(fd, IOC_SHUTDOWN, &how) != 0)
        rc = errno == ENOTTY || errno == EOPNOTSUPP || errno == EINVAL
                 ? err_say(e, "%s: %s cannot be shut down; ext4, xfs and f2fs can", path,
                           *mount.filesystem ? mount.filesystem : "this filesystem")
                 : err_system(e, errno, "shut down the filesystem of %s", path);
    descriptor_close(&root_fd);
    close(fd);
    struct label_text done = {""};
    label_add(&done,
              "The filesystem of %s is shut down, and what it had in memory is lost. Unmount it "
              "and mount it again before the check. This tests the filesystem alone: the drive has "
              "lost nothing.",
              path);
    if (rc == 0)
        print_wrapped(stdout, 0, done.text);
    return rc;
}
