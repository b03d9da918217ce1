// SPDX-License-Identifier: GPL-2.0-or-later
#include "tools/zcav_device.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/mount_info.h"
#include "storage/scratch.h"
#include "sys/helper.h"
#include "sys/path.h"
#include "util/descriptor.h"
#include "util/err.h"
#include "util/kernel_file.h"
#include "util/portable.h"
#include "util/printable.h"

/* A loop device has this file in sysfs while it is in use. */
#define IN_USE "/sys/block/loop*/loop/backing_file"

/* Time that a device has to answer, in ms. */
#define PATIENCE_MS 10000

/* What the asking process answers about one device; an errno with a minus sign: it cannot know. */
enum answer {
    ANSWER_NO,
    ANSWER_YES,
};

/*
 * Whether sysfs names the file as the device's backing file. Only root can ask the device itself.
 * Returns an answer. A name that leads nowhere is that of a file which has been removed, or which
 * the mounts of this process do not have. One in a closed directory is not the file's only one.
 */
static int is_named(const char *fact, const struct stat *st)
{
    char name[PATH_MAX + 1];
    struct stat other;
    int fd = kernel_file_open(fact, O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, name, sizeof name - 1) : fd;
    int rc = length < 0 ? -errno : 0;
    descriptor_close(&fd);
    name[length > 0 ? length - 1 : 0] = '\0'; /* cuts off the newline */
    if (rc == 0 && stat(name, &other) != 0)
        rc = -errno;
    if (rc == -ENOENT || rc == -ENOTDIR || rc == -ENODEV || (rc == -EACCES && st->st_nlink == 1))
        return ANSWER_NO;
    if (rc != 0)
        return rc;
    return other.st_dev == st->st_dev && other.st_ino == st->st_ino ? ANSWER_YES : ANSWER_NO;
}

/* Finds the name of the device to which a file of sysfs belongs. */
static void name_device(const char *fact, char name[NAME_MAX + 1])
{
    const char *start = fact + strlen("/sys/block/");
    snprintf(name, NAME_MAX + 1, "%.*s", (int)strcspn(start, "/"), start);
}

static int ask_device(const char *fact, const struct stat *st)
{
    char path[NAME_MAX + 6];
    char name[NAME_MAX + 1];
    struct loop_info64 info;
    name_device(fact, name);
    snprintf(path, sizeof path, "/dev/%s", name);
    int fd = kernel_file_open(path, O_RDONLY | O_NONBLOCK);
    bool is_used = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
    bool is_free = fd >= 0 && !is_used && errno == ENXIO;
    descriptor_close(&fd);
    if (is_used)
        return info.lo_device == st->st_dev && info.lo_inode == st->st_ino ? ANSWER_YES : ANSWER_NO;
    return is_free ? ANSWER_NO : is_named(fact, st);
}

/* Asks all devices in their order, and writes a byte for each. */
__attribute__((noreturn)) static void ask_all(const glob_t *facts, const struct stat *st, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /*
     * Closes all other descriptors. Otherwise, if this process stays behind, whoever reads what
     * zcav prints or waits for a lock would have to wait, too. They do if the kernel refuses this.
     */
    if (out > 0)
        portable_close_range(0, (unsigned)out - 1);
    portable_close_range((unsigned)out + 1, UINT_MAX);
    for (size_t i = 0; i < facts->gl_pathc; i++) {
        if (byte_write(out, (char)ask_device(facts->gl_pathv[i], st)) != 0)
            break;
    }
    _exit(0);
}

/* Reads one answer. Returns a negative errno when none comes. */
static int take_answer(int in)
{
    char answer;
    struct pollfd one = {.fd = in, .events = POLLIN};
    int ready;
    do {
        ready = poll(&one, 1, PATIENCE_MS);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return ready == 0 ? -ETIMEDOUT : -errno;
    ssize_t got = byte_read(in, &answer);
    if (got < 0)
        return -errno;
    return got == 1 ? (signed char)answer : -EIO;
}

static int take_answers(const char *path, const glob_t *facts, int in, struct err *e)
{
    for (size_t i = 0; i < facts->gl_pathc; i++) {
        char name[NAME_MAX + 1];
        int answer = take_answer(in);
        name_device(facts->gl_pathv[i], name);
        if (answer == ANSWER_YES)
            return err_system(e, EBUSY, "-w: /dev/%.100s uses %s", name, path);
        if (answer < 0)
            return err_system(e, -answer, "-w: whether /dev/%.100s uses %s cannot be known", name,
                              path);
    }
    return 0;
}

/*
 * Asks in a separate process. Waits for that process only if all devices have answered, because it
 * cannot end while the server of a device is dead.
 */
static int ask_apart(const char *path, const glob_t *facts, const struct stat *st, struct err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_system(e, errno, "pipe");
    pid_t pid = fork();
    if (pid == 0)
        ask_all(facts, st, ends[1]);
    int rc = pid > 0 ? 0 : err_system(e, errno, "start a process");
    close(ends[1]);
    if (rc == 0)
        rc = take_answers(path, facts, ends[0], e);
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, rc != 0 ? WNOHANG : 0);
    }
    return rc;
}

/*
 * Finds out whether a regular file is the backing file of a loop device. Compares files by device
 * and inode, so their names do not matter. A device accesses its backing file to answer, and does
 * not answer while that file's server is dead; so a separate process asks, and has a few seconds
 * for each device. Returns 0 if no device uses the file, or a negative errno with a line in e that
 * begins with "-w: ": -EBUSY if a device does, and -ETIMEDOUT if a device has not answered. `path`
 * is for the message.
 */
static int zcav_loops_refuse(const char *path, const struct stat *st, struct err *e)
{
    glob_t facts;
    int rc = glob(IN_USE, 0, NULL, &facts);
    if (rc == GLOB_NOMATCH)
        return 0;
    if (rc != 0)
        return err_system(e, ENOMEM, "-w: list the loop devices");
    rc = ask_apart(path, &facts, st, e);
    globfree(&facts);
    return rc;
}

/* Whether the path leads to that device or file. */
static bool is_same(const char *path, const struct stat *st)
{
    struct stat other;
    if (stat(path, &other) != 0)
        return false;
    if (S_ISBLK(st->st_mode))
        return S_ISBLK(other.st_mode) && other.st_rdev == st->st_rdev;
    return other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

static int refuse_mounted(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    char where[PATH_MAX] = "";
    FILE *mounts = kernel_file_read("/proc/self/mountinfo");
    while (mounts && *where == '\0' && fgets(line, sizeof line, mounts)) {
        unsigned major_number;
        unsigned minor_number;
        char point[PATH_MAX];
        if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &major_number, &minor_number, point) == 3 &&
            makedev(major_number, minor_number) == st->st_rdev)
            mount_info_read_path(where, point, strlen(point));
    }
    if (mounts)
        fclose(mounts);
    return *where ? err_system(e, EBUSY, "-w: %s is mounted on %.200s", path, where) : 0;
}

static int refuse_swap(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    bool is_swap = false;
    FILE *swaps = kernel_file_read("/proc/swaps");
    while (swaps && !is_swap && fgets(line, sizeof line, swaps)) {
        char file[PATH_MAX];
        mount_info_read_path(file, line, strcspn(line, " \t\n"));
        is_swap = is_same(file, st);
    }
    if (swaps)
        fclose(swaps);
    return is_swap ? err_system(e, EBUSY, "-w: %s is used as swap", path) : 0;
}

/*
 * Whether zcav -w may write to the file that `st` describes. It refuses what is mounted or used as
 * swap, the backing file of a loop device, anything but block devices and regular files, and,
 * without `yes`, block devices. It recognises files in use by device and inode. Opening a block
 * device with O_EXCL (zcav_device.c) makes sure that nobody else uses it.
 *
 * Returns 0, or -EBUSY or -EINVAL with a line in e.
 */
static int zcav_guard(const char *path, const struct stat *st, bool yes, struct err *e)
{
    bool is_block = S_ISBLK(st->st_mode);
    if (!is_block && !S_ISREG(st->st_mode))
        return err_say(e, "-w: %s is neither a block device nor a plain file", path);
    int rc = is_block ? refuse_mounted(path, st, e) : zcav_loops_refuse(path, st, e);
    if (rc == 0)
        rc = refuse_swap(path, st, e);
    if (rc == 0 && is_block && !yes)
        return err_say(e, "-w would destroy the contents of %s; --yes confirms that", path);
    return rc;
}

static int open_first(const char *path, const struct zcav_settings *s, struct err *e)
{
    struct path_file f;
    if (strcmp(path, "-") == 0) {
        int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
        return fd >= 0 ? fd : err_system(e, errno, "open %s", path);
    }
    int rc = path_find(&f, "open", path, e);
    if (rc != 0)
        return rc;
    rc = f.fd < 0 ? -ENOENT : s->writes ? path_check_changed(&f) : 0;
    rc = rc == 0 ? path_reopen(&f, O_RDONLY, e) : path_say(&f, rc, e);
    path_release(&f);
    return rc;
}

static int find_kind(struct zcav_device *d, const struct stat *st, struct err *e)
{
    d->bytes = UINT64_MAX;
    d->kind = S_ISREG(st->st_mode) ? ZCAV_PLAIN : S_ISBLK(st->st_mode) ? ZCAV_BLOCK : ZCAV_STREAM;
    if (S_ISDIR(st->st_mode))
        return err_system(e, EISDIR, "%s", d->file.name);
    if (d->kind == ZCAV_PLAIN)
        d->bytes = (uint64_t)st->st_size;
    if (d->kind == ZCAV_BLOCK && portable_ioctl(d->file.fd, BLKGETSIZE64, &d->bytes) != 0)
        return err_system(e, errno, "size of %s", d->file.name);
    return 0;
}

/* Opens the same device again as the settings say, whatever its path leads to by now. */
static int reopen_device(struct zcav_device *d, const struct zcav_settings *s, struct err *e)
{
    int flags = (s->writes ? O_WRONLY : O_RDONLY) | (d->direct ? O_DIRECT : 0);
    if (s->writes && d->kind == ZCAV_BLOCK)
        flags |= O_EXCL;
    if (flags == O_RDONLY)
        return 0;
    struct err reason;
    err_init(&reason);
    int fd = scratch_reopen(d->file.fd, flags, d->file.name, &reason);
    if (fd == -EBUSY && (flags & O_EXCL))
        return err_system(e, EBUSY,
                          "-w: %s is in use: mounted, swap, or part of a RAID, a volume "
                          "or an encrypted device",
                          d->file.name);
    if (fd < 0)
        return err_system(e, -fd, "open %s%s%s", d->file.name, flags & O_WRONLY ? " to write" : "",
                          flags & O_DIRECT ? " with O_DIRECT" : "");
    close(d->file.fd);
    d->file.fd = fd;
    return 0;
}

int zcav_device_open(struct zcav_device *d, const char *path, const struct zcav_settings *s,
                     struct err *e)
{
    struct stat st;
    bool named = strcmp(path, "-") != 0; /* otherwise it is standard input */
    *d = (struct zcav_device){.file.fd = -1, .label = strdup(named ? path : "standard input")};
    if (!d->label)
        return err_system(e, ENOMEM, "memory for the name of %s", path);
    make_printable(d->label);
    d->file.name = d->label;
    if (s->writes && !named)
        return err_say(e, "-w: standard input cannot be written to");
    int fd = open_first(path, s, e);
    if (fd < 0)
        return fd;
    d->file.fd = fd;
    int rc = fstat(fd, &st) == 0 ? 0 : err_system(e, errno, "look at %s", d->file.name);
    if (rc == 0)
        rc = find_kind(d, &st, e);
    if (rc == 0 && s->writes)
        rc = zcav_guard(d->file.name, &st, s->yes, e);
    d->direct =
        named && (d->kind == ZCAV_BLOCK ? !s->buffered : d->kind == ZCAV_PLAIN && s->direct);
    if (rc == 0 && named)
        rc = reopen_device(d, s, e);
    return rc;
}

void zcav_device_close(struct zcav_device *d)
{
    descriptor_close(&d->file.fd);
    free(d->label);
    d->label = NULL;
}
