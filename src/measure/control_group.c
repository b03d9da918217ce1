// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/control_group.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel_file.h"
#include "util/printable.h"

/* A mounted hierarchy of control groups. */
struct hierarchy {
    bool is_v2;
    char top[PATH_MAX]; /* group whose directory is mounted */
    char mount[PATH_MAX];
};

static bool has_controller(const char *list, const char *controller)
{
    return word_list_has(list, controller, strlen(controller));
}

/*
 * Finds the group of this process in a hierarchy, by /proc/self/cgroup: "7:blkio:/path", or
 * "0::/path" with version 2. Returns false when the process has no group in that hierarchy.
 */
static bool find_group(const char *root, const struct hierarchy *h, const char *controller,
                       char group[PATH_MAX])
{
    char path[PATH_MAX];
    char line[PATH_MAX];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *in = kernel_file_read(path);
    if (!in)
        return false;
    while (!found && fgets(line, sizeof line, in)) {
        char *list = strchr(line, ':');
        char *where = list ? strchr(list + 1, ':') : NULL;
        if (!where)
            continue;
        *where = '\0';
        found = h->is_v2 ? where == list + 1 : has_controller(list + 1, controller);
        snprintf(group, PATH_MAX, "%.*s", (int)strcspn(where + 1, "\n"), where + 1);
    }
    fclose(in);
    return found;
}

/* Whether a line of /proc/self/mountinfo is about a hierarchy with the controller. */
static bool is_hierarchy(const char *line, const char *controller, struct hierarchy *h)
{
    const char *type = strstr(line, " - cgroup");
    if (!type || sscanf(line, "%*d %*d %*s %4095s %4095s", h->top, h->mount) != 2)
        return false;
    h->is_v2 = strncmp(type, " - cgroup2 ", strlen(" - cgroup2 ")) == 0;
    const char *options = strrchr(line, ' ');
    return h->is_v2 || has_controller(options + 1, controller);
}

void control_groups_visit(const char *root, const char *controller,
                          void (*visit)(void *context, const struct control_group *g),
                          void *context)
{
    char path[PATH_MAX];
    char group[PATH_MAX];
    char directory[PATH_MAX];
    struct hierarchy h;
    char *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *in = kernel_file_read(path);
    if (!in)
        return;
    while (getline(&line, &room, in) > 0) {
        if (!is_hierarchy(line, controller, &h) || !find_group(root, &h, controller, group))
            continue;
        size_t above = strcmp(h.top, "/") == 0 ? 0 : strlen(h.top);
        /* strchr() also finds the end of the text */
        if (strncmp(group, h.top, above) != 0 || !strchr("/", group[above]))
            continue; /* the process's group is not below the one that is mounted */
        const char *rest = strcmp(group + above, "/") == 0 ? "" : group + above;
        if (snprintf(directory, sizeof directory, "%s%s%s", root, h.mount, rest) >=
            (int)sizeof directory)
            continue;
        struct control_group g = {directory, h.is_v2, true};
        const char *top = directory + strlen(root) + strlen(h.mount);
        char *end = directory + strlen(directory);
        for (; end && end >= top; end = strrchr(directory, '/')) { /* up to the mount point */
            *end = '\0';
            visit(context, &g);
            g.is_own = false;
        }
    }
    free(line);
    fclose(in);
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
    char line[128];
    *now = (struct quota_counts){.cpus = q->cpus, .period_ns = q->period_ns};
    FILE *in = kernel_file_read(q->stat);
    while (in && fgets(line, sizeof line, in)) {
        sscanf(line, "nr_periods %" SCNu64, &now->periods);
        sscanf(line, "nr_throttled %" SCNu64, &now->throttled);
        sscanf(line, "throttled_%*[a-z] %" SCNu64, &now->throttled_ns);
    }
    now->throttled_ns *= q->unit_ns;
    if (in)
        fclose(in);
}
