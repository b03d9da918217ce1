// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/control_group.h"

#include <math.h>

#include "util/kernel_file.h"
#include "util/printable.h"

#define MAX_GROUPS 64                  /* above each other that are looked at */
#define NO_LIMIT   (UINT64_C(1) << 62) /* version 1 has a number of almost 2^63 */

/* Finds the group of a process, 0 being this one, in a hierarchy, by /proc/self/cgroup:
 * "7:blkio:/path", or "0::/path" with version 2. Returns false when it has none in it. */
static bool find_group(const char *root, int process, bool is_v2, const char *controller,
                       char group[PATH_MAX])
{
    char path[32] = "/proc/self/cgroup";
    bool found = false;
    if (process != 0)
        snprintf(path, sizeof path, "/proc/%d/cgroup", process);
    char *text = kernel_file_whole(root, path);
    for (char *rest = text, *line; !found && (line = strsep(&rest, "\n"));) {
        char *list = strchr(line, ':');
        char *where = list ? strchr(list + 1, ':') : NULL;
        if (!where)
            continue;
        *where = '\0';
        found = is_v2 ? where == list + 1 : word_list_has(list + 1, controller, strlen(controller));
        snprintf(group, PATH_MAX, "%s", where + 1);
    }
    free(text);
    return found;
}

struct control_group *control_groups_find(const char *root, int process, const char *controller)
{
    char top[PATH_MAX]; /* the group whose directory is mounted */
    char mount[PATH_MAX], group[PATH_MAX], directory[PATH_MAX];
    unsigned count = 0;
    struct control_group *all = calloc(MAX_GROUPS + 1, sizeof *all);
    char *text = all ? kernel_file_whole(root, "/proc/self/mountinfo") : NULL;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        const char *type = strstr(line, " - cgroup");
        if (!type || sscanf(line, "%*d %*d %*s %4095s %4095s", top, mount) != 2)
            continue;
        bool is_v2 = strncmp(type, " - cgroup2 ", strlen(" - cgroup2 ")) == 0;
        const char *options = strrchr(line, ' ') + 1;
        if ((!is_v2 && !word_list_has(options, controller, strlen(controller))) ||
            !find_group(root, process, is_v2, controller, group))
            continue;
        size_t above = strcmp(top, "/") == 0 ? 0 : strlen(top);
        /* strchr() also finds the end of the text */
        if (strncmp(group, top, above) != 0 || !strchr("/", group[above]))
            continue; /* the process's group is not below the one that is mounted */
        const char *below = strcmp(group + above, "/") == 0 ? "" : group + above;
        if (snprintf(directory, sizeof directory, "%s%s%s", root, mount, below) >=
            (int)sizeof directory)
            continue;
        const char *first = directory + strlen(root) + strlen(mount);
        char *end = directory + strlen(directory);
        for (bool is_own = true; end && end >= first && count < MAX_GROUPS; is_own = false) {
            all[count] = (struct control_group){.is_v2 = is_v2, .is_own = is_own};
            *end = '\0'; /* up to the mount point */
            strcpy(all[count++].directory, directory);
            end = strrchr(directory, '/');
        }
    }
    free(text);
    return all;
}

/* Reads the beginning of a file of the group. "max", and what is not there, is an empty text. */
static bool read_text(const struct control_group *g, const char *name, char text[static 64])
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", g->directory, name) < (int)sizeof path &&
           kernel_file_text(path, text, 64) && strncmp(text, "max", 3) != 0;
}

uint64_t control_group_memory(const char *root)
{
    static const char *const names[] = {"memory.max", "memory.high", "memory.limit_in_bytes"};
    uint64_t lowest = 0;
    char text[64];
    struct control_group *all = control_groups_find(root, 0, "memory");
    for (const struct control_group *g = all; g && *g->directory; g++)
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            uint64_t limit = read_text(g, names[i], text) ? strtoull(text, NULL, 10) : NO_LIMIT;
            if (limit < NO_LIMIT && (lowest == 0 || limit < lowest))
                lowest = limit;
        }
    free(all);
    return lowest;
}

uint64_t control_group_tasks(const char *root)
{
    uint64_t room = UINT64_MAX;
    char text[64];
    struct control_group *all = control_groups_find(root, 0, "pids");
    for (const struct control_group *g = all; g && *g->directory; g++) {
        uint64_t most = read_text(g, "pids.max", text) ? strtoull(text, NULL, 10) : UINT64_MAX;
        uint64_t used = read_text(g, "pids.current", text) ? strtoull(text, NULL, 10) : 0;
        room = MIN(room, most > used ? most - used : 0);
    }
    free(all);
    return room;
}

void cpu_quotas_find(struct cpu_quotas *quotas, const char *root)
{
    struct control_group *all = control_groups_find(root, 0, "cpu");
    quotas->count = 0;
    for (const struct control_group *g = all; g && *g->directory; g++) {
        struct cpu_quota *q = &quotas->list[quotas->count];
        char text[64];
        double quota = 0, period_us = 0;
        /* version 2 has "20000 100000"; version 1 has -1 where there is no quota */
        if (g->is_v2 && read_text(g, "cpu.max", text)) {
            sscanf(text, "%lf %lf", &quota, &period_us);
        } else if (!g->is_v2 && read_text(g, "cpu.cfs_quota_us", text)) {
            quota = strtod(text, NULL);
            period_us = read_text(g, "cpu.cfs_period_us", text) ? strtod(text, NULL) : 0;
        }
        if (quota <= 0 || period_us <= 0 || quotas->count == CPU_QUOTAS)
            continue;
        q->cpus = quota / period_us;
        q->period_ns = (uint64_t)(period_us * 1000);
        q->unit_ns = g->is_v2 ? 1000 : 1;
        quotas->count += snprintf(q->stat, sizeof q->stat, "%s/cpu.stat", g->directory) < PATH_MAX;
    }
    free(all);
}

double cpu_quotas_lowest(const struct cpu_quotas *q)
{
    double lowest = 0;
    for (unsigned i = 0; i < q->count; i++)
        lowest = i == 0 ? q->list[i].cpus : fmin(lowest, q->list[i].cpus);
    return lowest;
}

void cpu_quota_read(const struct cpu_quota *q, struct quota_counts *now)
{
    char text[1024];
    *now = (struct quota_counts){.cpus = q->cpus, .period_ns = q->period_ns};
    const char *at =
        kernel_file_text(q->stat, text, sizeof text) ? strstr(text, "nr_periods") : NULL;
    if (at)
        sscanf(at, "nr_periods %" SCNu64 " nr_throttled %" SCNu64 " throttled_%*[a-z] %" SCNu64,
               &now->periods, &now->throttled, &now->throttled_ns);
    now->throttled_ns *= q->unit_ns;
}

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
    int length = 0;
    if (sscanf(line, "%u:%u %n", &major, &minor, &length) != 2 || length == 0 ||
        !device_set_has(d, major, minor))
        return;
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++) {
        const char *number = kind == only ? line + length : NULL;
        if (only == IO_LIMIT_KINDS && (number = strstr(line + length, kinds[kind].key)))
            number += strlen(kinds[kind].key);
        uint64_t limit = number ? strtoull(number, NULL, 10) : 0; /* "max" is no number */
        if (limit > 0 && (l->per_second[kind] == 0 || limit < l->per_second[kind]))
            l->per_second[kind] = limit;
    }
}

void io_limit_find(struct io_limit *l, const struct device_set *d, int process)
{
    *l = (struct io_limit){0};
    struct control_group *all =
        d->count > 0 ? control_groups_find(d->root, process, "blkio") : NULL;
    for (const struct control_group *g = all; g && *g->directory; g++)
        for (enum io_limit_kind kind = 0; kind <= IO_LIMIT_KINDS; kind++) {
            bool is_max = kind == IO_LIMIT_KINDS;
            /* in version 1, only the limits of the group itself apply */
            if (is_max ? !g->is_v2 : g->is_v2 || !g->is_own)
                continue;
            char *text = kernel_file_whole(g->directory, is_max ? "/io.max" : kinds[kind].file);
            for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
                io_limit_read_line(l, d, line, kind);
            free(text);
        }
    free(all);
}

struct io_limit io_limit_kept(struct io_limit *l, const struct device_set *d)
{
    struct io_limit kept = *l;
    io_limit_find(l, d, 0);
    for (enum io_limit_kind kind = 0; kind < IO_LIMIT_KINDS; kind++)
        if (kept.per_second[kind] != l->per_second[kind])
            kept.per_second[kind] = 0;
    return kept;
}
