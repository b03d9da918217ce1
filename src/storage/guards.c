// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/guards.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#ifdef HAVE_BLKID
#include <blkid.h>
#endif

#include "measure/device.h"
#include "measure/mount_info.h"
#include "storage/scratch.h"
#include "util/kernel_file.h"
#include "util/printable.h"

/* A device that has bytes of the guarded one: itself, its partition, or the disk that it is on. */
struct sharer {
    unsigned major, minor;
    char name[DEVICE_NAME]; /* the kernel's; empty: not known, or the guarded one is a file */
    char shown[PATH_MAX];   /* "/dev/sda", "sda1 on /dev/sda", "sda below /dev/sda1" */
};

void guards_find_mount(const char *root, dev_t device, char where[static PATH_MAX])
{
    char *mounts = kernel_file_whole(root, "/proc/self/mountinfo");
    *where = '\0';
    for (char *rest = mounts, *line; *where == '\0' && (line = strsep(&rest, "\n"));) {
        unsigned number[2];
        char point[PATH_MAX];
        if (sscanf(line, "%*d %*d %u:%u %*s %4095s", &number[0], &number[1], point) == 3 &&
            makedev(number[0], number[1]) == device)
            mount_info_read_path(where, point, strlen(point));
    }
    free(mounts);
}

static int refuse_swap(const struct guarded *g, const struct sharer *s, struct err *e)
{
    char *swaps = kernel_file_whole(g->root, "/proc/swaps");
    bool is_used = false;
    for (char *rest = swaps, *line; !is_used && (line = strsep(&rest, "\n"));) {
        char file[PATH_MAX];
        struct stat other;
        mount_info_read_path(file, line, strcspn(line, " \t"));
        if (*file != '/') /* the heading */
            continue;
        is_used = strncmp(file, "/dev/", 5) == 0 && *s->name && strcmp(file + 5, s->name) == 0;
        if (!is_used && stat(file, &other) == 0)
            is_used = S_ISBLK(g->facts.st_mode)
                          ? S_ISBLK(other.st_mode) && other.st_rdev == makedev(s->major, s->minor)
                          : other.st_dev == g->facts.st_dev && other.st_ino == g->facts.st_ino;
    }
    free(swaps);
    return is_used ? err_system(e, EBUSY, "%s: %s is used as swap", g->option, s->shown) : 0;
}

static int refuse_loops(const struct guarded *g, const struct sharer *s, struct err *e)
{
    char pattern[PATH_MAX];
    char own[DEVICE_NAME + 5];
    glob_t files;
    int rc = 0;
    snprintf(own, sizeof own, "/dev/%s", s->name);
    snprintf(pattern, sizeof pattern, "%s/sys/block/loop*/loop/backing_file", g->root);
    if (glob(pattern, 0, NULL, &files) != 0)
        return 0;
    for (size_t i = 0; rc == 0 && i < files.gl_pathc; i++) {
        char text[PATH_MAX + 1] = "";
        const char *loop = files.gl_pathv[i] + strlen(g->root) + strlen("/sys/block/");
        kernel_file_text(files.gl_pathv[i], text, sizeof text);
        if (*text)
            text[strlen(text) - 1] = '\0'; /* the newline; a name may have some, too */
        if ((*s->name && strcmp(text, own) == 0) || (*g->path && strcmp(text, g->path) == 0))
            rc = err_system(e, EBUSY, "%s: /dev/%.*s uses %s", g->option, (int)strcspn(loop, "/"),
                            loop, s->shown);
    }
    globfree(&files);
    return rc;
}

static int refuse_sharer(const struct guarded *g, const struct sharer *s, struct err *e)
{
    char where[PATH_MAX];
    glob_t holders;
    bool is_block = S_ISBLK(g->facts.st_mode);
    int rc = refuse_loops(g, s, e);
    if (rc == 0 && is_block) {
        guards_find_mount(g->root, makedev(s->major, s->minor), where);
        if (*where)
            rc = err_system(e, EBUSY, "%s: %s is mounted on %.200s", g->option, s->shown, where);
    }
    if (rc == 0)
        rc = refuse_swap(g, s, e);
    snprintf(where, sizeof where, "%s/sys/dev/block/%u:%u/holders/*", g->root, s->major, s->minor);
    if (rc != 0 || !is_block || glob(where, 0, NULL, &holders) != 0)
        return rc;
    rc = err_system(e, EBUSY, "%s: %s is a part of %s", g->option, s->shown,
                    strrchr(holders.gl_pathv[0], '/') + 1);
    globfree(&holders);
    return rc;
}

/* Does the same for the device in a directory of sysfs, whose path ends in the kernel's name. */
static int refuse_at(const struct guarded *g, const char *directory, const char *relation,
                     struct err *e)
{
    char path[2 * PATH_MAX + 8];
    char text[32];
    struct sharer s;
    snprintf(path, sizeof path, "%s/dev", directory);
    if (!kernel_file_text(path, text, sizeof text) ||
        !device_parse_number(text, &s.major, &s.minor))
        return 0;
    const char *name = strrchr(directory, '/') + 1;
    snprintf(s.name, sizeof s.name, "%.*s", DEVICE_NAME - 1, name);
    snprintf(s.shown, sizeof s.shown, "%s %s %.200s", s.name, relation, g->name);
    return refuse_sharer(g, &s, e);
}

int guards_refuse(const struct guarded *g, struct err *e)
{
    struct sharer own = {.major = major(g->facts.st_rdev), .minor = minor(g->facts.st_rdev)};
    char path[PATH_MAX];
    char target[PATH_MAX];
    char disk[2 * PATH_MAX];
    glob_t parts;
    snprintf(own.shown, sizeof own.shown, "%.200s", g->name);
    if (!S_ISBLK(g->facts.st_mode))
        return refuse_sharer(g, &own, e);
    int length =
        snprintf(path, sizeof path, "%s/sys/dev/block/%u:%u", g->root, own.major, own.minor);
    bool is_known = kernel_file_link(path, target, sizeof target) && strrchr(target, '/');
    if (is_known)
        snprintf(own.name, sizeof own.name, "%.*s", DEVICE_NAME - 1, strrchr(target, '/') + 1);
    int rc = refuse_sharer(g, &own, e);
    snprintf(path + length, sizeof path - (size_t)length, "/*/partition");
    if (rc == 0 && glob(path, 0, NULL, &parts) == 0) {
        for (size_t i = 0; rc == 0 && i < parts.gl_pathc; i++) {
            *strrchr(parts.gl_pathv[i], '/') = '\0';
            rc = refuse_at(g, parts.gl_pathv[i], "on", e);
        }
        globfree(&parts);
    }
    snprintf(path + length, sizeof path - (size_t)length, "/partition");
    if (rc != 0 || !is_known || !kernel_file_exists(path))
        return rc;
    *strrchr(target, '/') = '\0'; /* the target ends in DISK/PARTITION */
    snprintf(disk, sizeof disk, "%s/sys/dev/block/%s", g->root, target);
    return refuse_at(g, disk, "below", e);
}

/* ---- what would be lost ---------------------------------------------------------------------- */

#define CONTENTS_TEXT 256

/* Names what libblkid finds on the device: "ext4 'data'", "a partition table (gpt)". */
static void name_contents(int fd, char text[static CONTENTS_TEXT])
{
    snprintf(text, CONTENTS_TEXT, "no signature is known");
    (void)fd; /* without libblkid nobody asks it */
#ifdef HAVE_BLKID
    size_t used = 0;
    blkid_probe probe = blkid_new_probe();
    if (probe && blkid_probe_set_device(probe, fd, 0, 0) == 0) {
        blkid_probe_enable_partitions(probe, 1);
        while (used < CONTENTS_TEXT - 1 && blkid_do_probe(probe) == 0) {
            const char *type = NULL, *label = NULL, *table = NULL;
            blkid_probe_lookup_value(probe, "TYPE", &type, NULL);
            blkid_probe_lookup_value(probe, "LABEL", &label, NULL);
            blkid_probe_lookup_value(probe, "PTTYPE", &table, NULL);
            if (type || table)
                used += (size_t)snprintf(text + used, CONTENTS_TEXT - used, "%s%s%s%s%s%s",
                                         used > 0 ? ", " : "", type ? type : "a partition table (",
                                         type ? "" : table, type ? "" : ")", label ? " " : "",
                                         label ? label : "");
        }
    }
    blkid_free_probe(probe);
#endif
}

int guards_open(int fd, int flags, const char *option, bool yes, const char *name, struct err *e)
{
    struct guarded g = {.root = "", .option = option, .name = name};
    char contents[CONTENTS_TEXT];
    if (fstat(fd, &g.facts) != 0)
        return err_system(e, errno, "look at %s", name);
    bool is_block = S_ISBLK(g.facts.st_mode);
    if (!is_block && !S_ISREG(g.facts.st_mode))
        return err_say(e, "%s: %s is not a block device or a plain file", option, name);
    if (!kernel_file_link(descriptor_path(fd).text, g.path, sizeof g.path))
        return err_system(e, errno, "%s: what uses %s cannot be known", option, name);
    int rc = guards_refuse(&g, e);
    if (rc != 0)
        return rc;
    if (is_block) {
        name_contents(fd, contents);
        if (!yes)
            return err_say(e, "%s would destroy the contents of %s (%s); --yes confirms that",
                           option, name, printable(contents).text);
    }
    struct err reason = {0};
    rc = scratch_reopen(fd, flags | (is_block ? O_EXCL : 0), name, &reason);
    if (rc == -EBUSY && is_block)
        return err_system(e, EBUSY,
                          "%s: %s is in use: mounted, swap, or part of a RAID, a volume or an "
                          "encrypted device",
                          option, name);
    if (rc < 0)
        return err_system(e, -rc, "open %s to write%s", name,
                          flags & O_DIRECT ? " with O_DIRECT" : "");
    if (is_block)
        message("%s: what is there is destroyed: %s", name, printable(contents).text);
    return rc;
}
