// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/io_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/control_group.h"
#include "util/kernel_file.h"

/* What the limit of each kind is called in io.max, and in which file version 1 has it. */
static const struct {
    const char *key, *file;
} kinds[IO_LIMIT_KINDS] = {
    [IO_LIMIT_READ_BYTES] = {"rbps=", "/blkio.throttle.read_bps_device"},
    [IO_LIMIT_WRITTEN_BYTES] = {"wbps=", "/blkio.throttle.write_bps_device"},
    [IO_LIMIT_READ_OPS] = {"riops=", "/blkio.throttle.read_iops_device"},
    [IO_LIMIT_WRITE_OPS] = {"wiops=", "/blkio.throttle.write_iops_device"},
};

void io_limit_join(struct io_limit *all, const struct io_limit *one)
{
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++) {
        bool has_both = all->per_second[kind] > 0 && one->per_second[kind] > 0;
        all->per_second[kind] = has_both ? all->per_second[kind] + one->per_second[kind] : 0;
    }
}

void io_limit_read_line(struct io_limit *l, const struct device_set *d, const char *line,
                        enum io_limit_kind only)
{
    unsigned major, minor;
    unsigned i = 0;
    int length = 0;
    if (sscanf(line, "%u:%u %n", &major, &minor, &length) != 2 || length == 0)
        return;
    while (i < d->count && (d->devices[i].major != major || d->devices[i].minor != minor))
        i++;
    for (enum io_limit_kind kind = 0; i < d->count && kind < IO_LIMIT_KINDS; kind++) {
        const char *number = kind == only ? line + length : NULL;
        if (only == IO_LIMIT_KINDS && (number = strstr(line + length, kinds[kind].key)))
            number += strlen(kinds[kind].key);
        /* "max" is no number, and leaves 0 */
        uint64_t limit = number ? strtoull(number, NULL, 10) : 0;
        if (limit > 0 && (l->per_second[kind] == 0 || limit < l->per_second[kind]))
            l->per_second[kind] = limit;
    }
}

struct search_for_limits {
    struct io_limit *limit;
    const struct device_set *devices;
};

/* In version 1, only the limits of the group itself apply. */
static void read_group(void *context, const struct control_group *g)
{
    const struct search_for_limits *s = context;
    for (enum io_limit_kind kind = 0; kind <= IO_LIMIT_KINDS; kind++) {
        bool is_max = kind == IO_LIMIT_KINDS;
        if (is_max ? !g->is_v2 : g->is_v2 || !g->is_own)
            continue;
        char *text = kernel_file_whole(g->directory, is_max ? "/io.max" : kinds[kind].file);
        for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
            io_limit_read_line(s->limit, s->devices, line, kind);
        free(text);
    }
}

void io_limit_find(struct io_limit *l, const struct device_set *d)
{
    struct search_for_limits search = {l, d};
    *l = (struct io_limit){0};
    if (d->count > 0)
        control_groups_visit(d->root, "blkio", read_group, &search);
}
