#include "tools/zcav_guard.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/* True when the path leads to the same device or file. */
static bool is_same(const char *path, const struct stat *st)
{
    struct stat other;
    if (stat(path, &other) != 0)
        return false;
    if (S_ISBLK(st->st_mode))
        return S_ISBLK(other.st_mode) && other.st_rdev == st->st_rdev;
    return other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* Cuts the line at its end. */
static void chomp(char *line)
{
    line[strcspn(line, "\n")] = '\0';
}

static int refuse_mounted(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    char where[PATH_MAX] = "";
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mounts && *where == '\0' && fgets(line, sizeof line, mounts)) {
        unsigned major_number;
        unsigned minor_number;
        char point[PATH_MAX];
        if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &major_number, &minor_number, point) == 3 &&
            makedev(major_number, minor_number) == st->st_rdev)
            snprintf(where, sizeof where, "%s", point);
    }
    if (mounts)
        fclose(mounts);
    return *where ? err_system(e, EBUSY, "-w: %s is mounted on %.200s", path, where) : 0;
}

static int refuse_swap(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    bool is_swap = false;
    FILE *swaps = fopen("/proc/swaps", "re");
    while (swaps && !is_swap && fgets(line, sizeof line, swaps)) {
        line[strcspn(line, " \t\n")] = '\0';
        is_swap = is_same(line, st);
    }
    if (swaps)
        fclose(swaps);
    return is_swap ? err_system(e, EBUSY, "-w: %s is used as swap", path) : 0;
}

/* The device that a loop device makes of a file may be mounted, or otherwise in use. */
static int refuse_backing(const char *path, const struct stat *st, struct err *e)
{
    glob_t found;
    char loop[PATH_MAX] = "";
    if (glob("/sys/block/loop*/loop/backing_file", 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && *loop == '\0'; i++) {
        char backing[PATH_MAX];
        FILE *file = fopen(found.gl_pathv[i], "re");
        if (!file)
            continue;
        if (fgets(backing, sizeof backing, file)) {
            chomp(backing);
            if (is_same(backing, st))
                sscanf(found.gl_pathv[i], "/sys/block/%4095[^/]", loop);
        }
        fclose(file);
    }
    globfree(&found);
    return *loop ? err_system(e, EBUSY, "-w: /dev/%.100s uses %s", loop, path) : 0;
}

int zcav_guard(const char *path, const struct stat *st, bool yes, struct err *e)
{
    bool is_block = S_ISBLK(st->st_mode);
    if (!is_block && !S_ISREG(st->st_mode))
        return err_say(e, "-w: %s is neither a block device nor a plain file", path);
    int rc = is_block ? refuse_mounted(path, st, e) : refuse_backing(path, st, e);
    if (rc == 0)
        rc = refuse_swap(path, st, e);
    if (rc == 0 && is_block && !yes)
        return err_say(e, "-w would destroy the contents of %s; --yes confirms that", path);
    return rc;
}
