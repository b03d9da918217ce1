// SPDX-License-Identifier: GPL-2.0-or-later
#include "storage/guards.h"

#include <glob.h>
#include <sys/sysmacros.h>
#ifdef HAVE_BLKID
#include <blkid.h>
#endif

#include "measure/device.h"
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

/* Whether a path is that of the device's node, by its text alone. */
static bool is_node_of(const char *path, const struct sharer *s)
{
    return *s->name && strncmp(path, "/dev/", 5) == 0 && strcmp(path + 5, s->name) == 0;
}

static int refuse_swap(const struct guarded *g, const struct sharer *s, struct err *e)
{
    char *swaps = kernel_file_whole(g->root, "/proc/swaps");
    bool is_used = false;
    for (char *rest = swaps, *line; !is_used && (line = strsep(&rest, "\n"));) {
        char file[PATH_MAX];
        struct stat other;
        mount_info_read_path(file, line, strcspn(line, " \t"));
        is_used = is_node_of(file, s);
        if (!is_used && *file == '/' /* not the heading */ && stat(file, &other) == 0)
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
    glob_t files;
    int rc = 0;
    snprintf(pattern, sizeof pattern, "%s/sys/block/loop*/loop/backing_file", g->root);
    if (glob(pattern, 0, NULL, &files) != 0)
        return 0;
    for (size_t i = 0; rc == 0 && i < files.gl_pathc; i++) {
        char text[PATH_MAX + 1] = "";
        const char *loop = files.gl_pathv[i] + strlen(g->root) + strlen("/sys/block/");
        kernel_file_text(files.gl_pathv[i], text, sizeof text);
        if (*text)
            text[strlen(text) - 1] = '\0'; /* the newline; a name may have some, too */
        if (is_node_of(text, s) || (*g->path && strcmp(text, g->path) == 0))
            rc = err_system(e, EBUSY, "%s: /dev/%.*s uses %s", g->option, (int)strcspn(loop, "/"),
                            loop, s->shown);
    }
    globfree(&files);
    return rc;
}

/* Refuses a device that has bytes of the guarded one, by its number, "8:1". */
static int refuse_number(const struct guarded *g, const char *number, const char *relation,
                         struct err *e)
{
    char path[PATH_MAX];
    char target[PATH_MAX];
    struct sharer s;
    glob_t holders;
    bool is_block = S_ISBLK(g->facts.st_mode);
    if (!device_parse_number(number, &s.major, &s.minor))
        return 0;
    int length = snprintf(path, sizeof path, "%s/sys/dev/block/%u:%u", g->root, s.major, s.minor);
    kernel_file_link(path, target, sizeof target); /* it ends in the kernel's name */
    const char *slash = strrchr(target, '/');
    snprintf(s.name, sizeof s.name, "%.*s", DEVICE_NAME - 1, slash ? slash + 1 : "");
    snprintf(s.shown, sizeof s.shown, "%s%s%.200s", relation ? s.name : "",
             relation ? relation : "", g->name);
    int rc = refuse_loops(g, &s, e);
    if (rc == 0 && is_block) {
        guards_find_mount(g->root, makedev(s.major, s.minor), target);
        if (*target)
            rc = err_system(e, EBUSY, "%s: %s is mounted on %.200s", g->option, s.shown, target);
    }
    if (rc == 0)
        rc = refuse_swap(g, &s, e);
    snprintf(path + length, sizeof path - (size_t)length, "/holders/*");
    if (rc != 0 || !is_block || glob(path, 0, NULL, &holders) != 0)
        return rc;
    rc = err_system(e, EBUSY, "%s: %s is a part of %s", g->option, s.shown,
                    strrchr(holders.gl_pathv[0], '/') + 1);
    globfree(&holders);
    return rc;
}

int guards_refuse(const struct guarded *g, struct err *e)
{
    /* what is beside a file `partition`, or above it */
    static const struct {
        const char *files, *number, *relation;
    } sharers[] = {{"/*/partition", "/dev", " on "}, {"/partition", "/../dev", " below "}};
    char own[32];
    char path[PATH_MAX];
    snprintf(own, sizeof own, "%u:%u", major(g->facts.st_rdev), minor(g->facts.st_rdev));
    int rc = refuse_number(g, own, NULL, e);
    for (size_t i = 0; rc == 0 && S_ISBLK(g->facts.st_mode) && i < 2; i++) {
        glob_t found;
        snprintf(path, sizeof path, "%s/sys/dev/block/%s%s", g->root, own, sharers[i].files);
        if (glob(path, 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; rc == 0 && k < found.gl_pathc; k++) {
            char number[32];
            *strrchr(found.gl_pathv[k], '/') = '\0';
            snprintf(path, sizeof path, "%s%s", found.gl_pathv[k], sharers[i].number);
            kernel_file_text(path, number, sizeof number);
            rc = refuse_number(g, number, sharers[i].relation, e);
        }
        globfree(&found);
    }
    return rc;
}

/* ---- what would be lost ---------------------------------------------------------------------- */

/* Names what libblkid finds on the device: "ext4 'data'", "a partition table (gpt)". */
static struct label_text contents_of(int fd)
{
    struct label_text found = {""};
    (void)fd; /* without libblkid nobody asks it */
#ifdef HAVE_BLKID
    blkid_probe probe = blkid_new_probe();
    if (probe && blkid_probe_set_device(probe, fd, 0, 0) == 0) {
        blkid_probe_enable_partitions(probe, 1);
        while (blkid_do_probe(probe) == 0) {
            const char *type = NULL, *label = NULL, *table = NULL;
            blkid_probe_lookup_value(probe, "TYPE", &type, NULL);
            blkid_probe_lookup_value(probe, "LABEL", &label, NULL);
            blkid_probe_lookup_value(probe, "PTTYPE", &table, NULL);
            if (type || table)
                label_add(&found, "%s%s%s%s%s%s", *found.text ? ", " : "",
                          type ? type : "a partition table (", type ? "" : table, type ? "" : ")",
                          label ? " " : "", label ? label : "");
        }
    }
    blkid_free_probe(probe);
#endif
    label_add(&found, "%s", *found.text ? "" : "no signature is known");
    return found;
}

int guards_open(int fd, int flags, const char *option, bool yes, const char *name, struct err *e)
{
    struct guarded g = {.root = "", .option = option, .name = name};
    struct label_text contents = {""};
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
        contents = contents_of(fd);
        if (!yes)
            return err_say(e, "%s would destroy the contents of %s (%s); --yes confirms that",
                           option, name, printable(contents.text).text);
    }
    int opened = kernel_file_reopen(fd, flags | (is_block ? O_EXCL : 0));
    if (opened < 0 && errno == EBUSY && is_block)
        return err_system(e, EBUSY,
                          "%s: %s is in use: mounted, swap, or part of a RAID, a volume or an "
                          "encrypted device",
                          option, name);
    if (opened < 0)
        return err_system(e, errno, "open %s to write%s", name,
                          flags & O_DIRECT ? " with O_DIRECT" : "");
    if (is_block)
        message("%s: what is there is destroyed: %s", name, printable(contents.text).text);
    return opened;
}
