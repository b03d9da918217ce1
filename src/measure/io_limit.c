// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/io_limit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/control_group.h"
#include "util/kernel_file.h"

/* ---- one line ---- */

/* Returns what follows the number of a device of d in a line; NULL: it is about none of them. */
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

struct search_for_limits {
    struct io_limit *limit;
    const struct device_set *devices;
};

/* In version 1, only the limits of the group itself apply. */
static void read_group(void *context, const struct control_group *g)
{
    static const char *const names[IO_LIMIT_KINDS] = {
        [IO_LIMIT_READ_BYTES] = "blkio.throttle.read_bps_device",
        [IO_LIMIT_WRITTEN_BYTES] = "blkio.throttle.write_bps_device",
        [IO_LIMIT_READ_OPS] = "blkio.throttle.read_iops_device",
        [IO_LIMIT_WRITE_OPS] = "blkio.throttle.write_iops_device",
    };
    const struct search_for_limits *s = context;
    if (g->is_v2)
        read_file(s->limit, s->devices, g->directory, "io.max", IO_LIMIT_KINDS);
    for (enum io_limit_kind kind = 0; !g->is_v2 && g->is_own && kind < IO_LIMIT_KINDS; kind++)
        read_file(s->limit, s->devices, g->directory, names[kind], kind);
}

void io_limit_find(struct io_limit *l, const struct device_set *d)
{
    struct search_for_limits search = {l, d};
    *l = (struct io_limit){0};
    if (d->count > 0)
        control_groups_visit(d->root, "blkio", read_group, &search);
}
