#include "measure/io_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"
#include "util/word_list.h"

/* ---- one line ---- */

/*
 * Returns the part of a line after the number of a device of d. NULL: the line is about no such
 * device.
 */
static const char *behind_device(const struct device_set *d, const char *line)
{
    unsigned major;
    unsigned minor;
    int length = 0;
    if (sscanf(line, "%u:%u %n", &major, &minor, &length) != 2 || length == 0)
        return NULL;
    for (unsigned i = 0; i < d->count; i++)
        if (d->devices[i].major == major && d->devices[i].minor == minor)
            return line + length;
    return NULL;
}

void io_limit_join(struct io_limit *all, const struct io_limit *one)
{
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++) {
        bool has_both = all->per_second[kind] > 0 && one->per_second[kind] > 0;
        all->per_second[kind] = has_both ? all->per_second[kind] + one->per_second[kind] : 0;
    }
}

static void lower_limit(struct io_limit *l, enum io_limit_kind kind, uint64_t to)
{
    uint64_t *limit = &l->per_second[kind];
    if (to > 0 && (*limit == 0 || to < *limit))
        *limit = to;
}

void io_limit_read_throttle(struct io_limit *l, const struct device_set *d, const char *line,
                            enum io_limit_kind kind)
{
    const char *number = behind_device(d, line);
    if (number)
        lower_limit(l, kind, strtoull(number, NULL, 10));
}

void io_limit_read_max(struct io_limit *l, const struct device_set *d, const char *line)
{
    static const char *const keys[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = "rbps=",
        [IO_LIMIT_WRITTEN_BYTES] = "wbps=",
        [IO_LIMIT_READ_OPS] = "riops=",
        [IO_LIMIT_WRITE_OPS] = "wiops=",
    };
    const char *pairs = behind_device(d, line);
    for (enum io_limit_kind kind = 0; pairs && kind < IO_LIMIT_KINDS; kind++) {
        const char *pair = strstr(pairs, keys[kind]); /* "max" is not a number, and leaves 0 */
        if (pair)
            lower_limit(l, kind, strtoull(pair + strlen(keys[kind]), NULL, 10));
    }
}

/* ---- one group ---- */

/*
 * Reads all lines of a file in a group's directory. A line is never longer than `line`, unless it
 * lists more than 64 devices.
 */
static void read_file(struct io_limit *l, const struct device_set *d, const char *directory,
                      const char *name, enum io_limit_kind kind)
{
    char path[PATH_MAX];
    char line[256];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return;
    FILE *in = kernel_file_read(path);
    if (!in)
        return;
    while (fgets(line, sizeof line, in))
        if (kind == IO_LIMIT_KINDS)
            io_limit_read_max(l, d, line);
        else
            io_limit_read_throttle(l, d, line, kind);
    fclose(in);
}

/* Version 1: only the limits of the group itself apply. */
static void read_group_v1(struct io_limit *l, const struct device_set *d, const char *directory)
{
    static const char *const names[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = "blkio.throttle.read_bps_device",
        [IO_LIMIT_WRITTEN_BYTES] = "blkio.throttle.write_bps_device",
        [IO_LIMIT_READ_OPS] = "blkio.throttle.read_iops_device",
        [IO_LIMIT_WRITE_OPS] = "blkio.throttle.write_iops_device",
    };
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++)
        read_file(l, d, directory, names[kind], kind);
}

/* Version 2: the limits of all groups above also apply, up to the mount point of the hierarchy. */
static void read_group_v2(struct io_limit *l, const struct device_set *d, char *directory,
                          size_t mount_length)
{
    for (;;) {
        read_file(l, d, directory, "io.max", IO_LIMIT_KINDS);
        char *slash = strrchr(directory, '/');
        if (!slash || (size_t)(slash - directory) < mount_length)
            return;
        *slash = '\0';
    }
}

/* ---- which group it is, and where ---- */

static bool has_blkio(const char *list)
{
    return word_list_has(list, "blkio", strlen("blkio"));
}

/*
 * Finds the group of this process in a hierarchy, by /proc/self/cgroup: "7:blkio:/path", or
 * "0::/path" with version 2. Returns false when the process has no group in that hierarchy.
 */
static bool find_group(const char *root, bool is_v2, char group[PATH_MAX])
{
    char path[PATH_MAX];
    char line[PATH_MAX];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *in = kernel_file_read(path);
    if (!in)
        return false;
    while (!found && fgets(line, sizeof line, in)) {
        const char *list = strchr(line, ':');
        const char *where = list ? strchr(list + 1, ':') : NULL;
        if (!where)
            continue;
        found = is_v2 ? where == list + 1 : has_blkio(list + 1);
        snprintf(group, PATH_MAX, "%.*s", (int)strcspn(where + 1, "\n"), where + 1);
    }
    fclose(in);
    return found;
}

/*
 * Whether a line of /proc/self/mountinfo is about a hierarchy with limits on I/O. If so, sets its
 * version, the group at its top, and where that is mounted.
 */
static bool is_hierarchy(const char *line, bool *is_v2, char top[PATH_MAX], char mount[PATH_MAX])
{
    const char *type = strstr(line, " - cgroup");
    if (!type || sscanf(line, "%*d %*d %*s %4095s %4095s", top, mount) != 2)
        return false;
    *is_v2 = strncmp(type, " - cgroup2 ", strlen(" - cgroup2 ")) == 0;
    const char *options = strrchr(line, ' ');
    return *is_v2 || has_blkio(options + 1);
}

/*
 * Reads the limits of this process's group in the hierarchy mounted at `mount`. The group must be
 * below `top`.
 */
static void read_hierarchy(struct io_limit *l, const struct device_set *d, bool is_v2,
                           const char *top, const char *mount)
{
    char group[PATH_MAX];
    char directory[PATH_MAX];
    size_t above = strcmp(top, "/") == 0 ? 0 : strlen(top);
    /* strchr() also finds the end of the text */
    if (!find_group(d->root, is_v2, group) || strncmp(group, top, above) != 0 ||
        !strchr("/", group[above]))
        return;
    const char *rest = strcmp(group + above, "/") == 0 ? "" : group + above;
    if (snprintf(directory, sizeof directory, "%s%s%s", d->root, mount, rest) >=
        (int)sizeof directory)
        return;
    if (is_v2)
        read_group_v2(l, d, directory, strlen(d->root) + strlen(mount));
    else
        read_group_v1(l, d, directory);
}

void io_limit_find(struct io_limit *l, const struct device_set *d)
{
    char path[PATH_MAX];
    char top[PATH_MAX];
    char mount[PATH_MAX];
    bool is_v2;
    char *line = NULL;
    size_t room = 0;
    *l = (struct io_limit){0};
    if (d->count == 0)
        return;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", d->root);
    FILE *in = kernel_file_read(path);
    if (!in)
        return;
    while (getline(&line, &room, in) > 0)
        if (is_hierarchy(line, &is_v2, top, mount))
            read_hierarchy(l, d, is_v2, top, mount);
    free(line);
    fclose(in);
}
