// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/control_group.h"

#include <limits.h>
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
        const char *list = strchr(line, ':');
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

/* Visits the group of a directory and those above it, up to the mount point. */
static void visit_upwards(char *directory, size_t mount_length, bool is_v2,
                          void (*visit)(void *context, const struct control_group *g),
                          void *context)
{
    struct control_group g = {directory, is_v2, true};
    for (;;) {
        visit(context, &g);
        char *slash = strrchr(directory, '/');
        if (!slash || (size_t)(slash - directory) < mount_length)
            return;
        *slash = '\0';
        g.is_own = false;
    }
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
        visit_upwards(directory, strlen(root) + strlen(h.mount), h.is_v2, visit, context);
    }
    free(line);
    fclose(in);
}
