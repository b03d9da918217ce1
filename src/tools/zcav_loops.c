#include "tools/zcav_loops.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/loop.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/byte_pipe.h"
#include "util/kernel_file.h"
#include "util/portable.h"

/* A loop device has this file in sysfs while it is in use. */
#define IN_USE "/sys/block/loop*/loop/backing_file"

/* Time that a device has to answer, in ms. */
#define PATIENCE_MS 10000

/* What the asking process answers about one device. */
enum answer {
    ANSWER_NO,
    ANSWER_YES,
};

/*
 * Whether sysfs names the file as the device's backing file. Only root can ask the device itself.
 */
static bool is_named(const char *fact, const struct stat *st)
{
    char name[PATH_MAX + 1];
    struct stat other;
    int fd = kernel_file_open(fact, O_RDONLY);
    ssize_t length = fd >= 0 ? read(fd, name, sizeof name - 1) : 0;
    if (fd >= 0)
        close(fd);
    name[length > 0 ? length - 1 : 0] = '\0'; /* cuts off the newline */
    return stat(name, &other) == 0 && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* Finds the name of the device to which a file of sysfs belongs. */
static void name_device(const char *fact, char name[NAME_MAX + 1])
{
    const char *start = fact + strlen("/sys/block/");
    snprintf(name, NAME_MAX + 1, "%.*s", (int)strcspn(start, "/"), start);
}

static enum answer ask_device(const char *fact, const struct stat *st)
{
    char path[NAME_MAX + 6];
    char name[NAME_MAX + 1];
    struct loop_info64 info;
    name_device(fact, name);
    snprintf(path, sizeof path, "/dev/%s", name);
    int fd = kernel_file_open(path, O_RDONLY | O_NONBLOCK);
    bool is_used = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
    bool is_free = fd >= 0 && !is_used && errno == ENXIO;
    if (fd >= 0)
        close(fd);
    if (is_used)
        return info.lo_device == st->st_dev && info.lo_inode == st->st_ino ? ANSWER_YES : ANSWER_NO;
    return !is_free && is_named(fact, st) ? ANSWER_YES : ANSWER_NO;
}

/*
 * Closes all other descriptors. Otherwise, if this process stays behind, whoever reads what zcav
 * prints or waits for a lock would have to wait, too. They do if the kernel refuses this.
 */
static void keep_only(int kept)
{
    if (kept > 0)
        portable_close_range(0, (unsigned)kept - 1);
    portable_close_range((unsigned)kept + 1, UINT_MAX);
}

/* Asks all devices in their order, and writes a byte for each. */
__attribute__((noreturn)) static void ask_all(const glob_t *facts, const struct stat *st, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    keep_only(out);
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
    return got == 1 ? answer : -EIO;
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

int zcav_loops_refuse(const char *path, const struct stat *st, struct err *e)
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
