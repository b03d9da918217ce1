#include "tools/zcav_guard.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tools/zcav_loops.h"
#include "util/kernel_file.h"

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
            snprintf(where, sizeof where, "%s", point);
    }
    if (mounts)
        fclose(mounts);
    return *where ? err_system(e, EBUSY, "-w: %s is mounted on %.200s", path, where) : 0;
}

/* Decodes a path from /proc/swaps, where \ooo is the character with that octal number. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned code;
        if (sscanf(from, "\\%3o", &code) == 1) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

static int refuse_swap(const char *path, const struct stat *st, struct err *e)
{
    char line[2 * PATH_MAX];
    bool is_swap = false;
    FILE *swaps = kernel_file_read("/proc/swaps");
    while (swaps && !is_swap && fgets(line, sizeof line, swaps)) {
        line[strcspn(line, " \t\n")] = '\0';
        unescape(line);
        is_swap = is_same(line, st);
    }
    if (swaps)
        fclose(swaps);
    return is_swap ? err_system(e, EBUSY, "-w: %s is used as swap", path) : 0;
}

int zcav_guard(const char *path, const struct stat *st, bool yes, struct err *e)
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
