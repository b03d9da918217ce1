// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/control_group.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"
#include "util/printable.h"

/*
 * Finds the group of this process in a hierarchy, by /proc/self/cgroup: "7:blkio:/path", or
 * "0::/path" with version 2. Returns false when the process has no group in that hierarchy.
 */
static bool find_group(const char *root, bool is_v2, const char *controller, char group[PATH_MAX])
{
    bool found = false;
    char *text = kernel_file_whole(root, "/proc/self/cgroup");
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

void control_groups_visit(const char *root, const char *controller,
                          void (*visit)(void *context, const struct control_group *g),
                          void *context)
{
    char top[PATH_MAX]; /* the group whose directory is mounted */
    char mount[PATH_MAX];
    char group[PATH_MAX];
    char directory[PATH_MAX];
    char *text = kernel_file_whole(root, "/proc/self/mountinfo");
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        const char *type = strstr(line, " - cgroup");
        if (!type || sscanf(line, "%*d %*d %*s %4095s %4095s", top, mount) != 2)
            continue;
        bool is_v2 = strncmp(type, " - cgroup2 ", strlen(" - cgroup2 ")) == 0;
        const char *options = strrchr(line, ' ') + 1;
        if ((!is_v2 && !word_list_has(options, controller, strlen(controller))) ||
            !find_group(root, is_v2, controller, group))
            continue;
        size_t above = strcmp(top, "/") == 0 ? 0 : strlen(top);
        /* strchr() also finds the end of the text */
        if (strncmp(group, top, above) != 0 || !strchr("/", group[above]))
            continue; /* the process's group is not below the one that is mounted */
        const char *below = strcmp(group + above, "/") == 0 ? "" : group + above;
        if (snprintf(directory, sizeof directory, "%s%s%s", root, mount, below) >=
            (int)sizeof directory)
            continue;
        struct control_group g = {directory, is_v2, true};
        const char *first = directory + strlen(root) + strlen(mount);
        char *end = directory + strlen(directory);
        for (; end && end >= first; end = strrchr(directory, '/')) { /* up to the mount point */
            *end = '\0';
            visit(context, &g);
            g.is_own = false;
        }
    }
    free(text);
}

/* Reads the beginning of a file of the group. "max", and what is not there, is an empty text. */
static bool read_text(const struct control_group *g, const char *name, char text[static 64])
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", g->directory, name) < (int)sizeof path &&
           kernel_file_text(path, text, 64) && strncmp(text, "max", 3) != 0;
}

/* Version 1 has a number of almost 2^63 where there is no limit. */
#define NO_LIMIT (UINT64_C(1) << 62)

static void lower_memory(void *context, const struct control_group *g)
{
    static const char *const names[] = {"memory.max", "memory.high", "memory.limit_in_bytes"};
    uint64_t *lowest = context;
    char text[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t limit = read_text(g, names[i], text) ? strtoull(text, NULL, 10) : NO_LIMIT;
        if (limit < NO_LIMIT && (*lowest == 0 || limit < *lowest))
            *lowest = limit;
    }
}

uint64_t control_group_memory(const char *root)
{
    uint64_t lowest = 0;
    control_groups_visit(root, "memory", lower_memory, &lowest);
    return lowest;
}

/* Version 2 has "20000 100000"; version 1 has -1 where there is no quota. */
static void add_quota(void *context, const struct control_group *g)
{
    struct cpu_quotas *all = context;
    char text[64];
    double quota = 0;
    double period_us = 0;
    if (g->is_v2) {
        if (!read_text(g, "cpu.max", text) || sscanf(text, "%lf %lf", &quota, &period_us) != 2)
            return;
    } else if (read_text(g, "cpu.cfs_quota_us", text)) {
        quota = strtod(text, NULL);
        period_us = read_text(g, "cpu.cfs_period_us", text) ? strtod(text, NULL) : 0;
    }
    if (quota <= 0 || period_us <= 0 || all->count == CPU_QUOTAS)
        return;
    struct cpu_quota *q = &all->list[all->count];
    q->cpus = quota / period_us;
    q->period_ns = (uint64_t)(period_us * 1000);
    q->unit_ns = g->is_v2 ? 1000 : 1;
    all->count += snprintf(q->stat, sizeof q->stat, "%s/cpu.stat", g->directory) < PATH_MAX;
}

void cpu_quotas_find(struct cpu_quotas *q, const char *root)
{
    q->count = 0;
    control_groups_visit(root, "cpu", add_quota, q);
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
