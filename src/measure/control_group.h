// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>

/* A control group whose limits apply to this process. */
struct control_group {
    const char *directory; /* where the kernel shows it */
    bool is_v2;
    bool is_own; /* the process's own group, and not one above it */
};

/*
 * Calls visit() for each group that a controller ("blkio" and "cpu", which are names of version 1)
 * has of this process, and for all groups above it, as far as they are mounted. `root` is a prefix
 * of /proc and /sys, "" except in tests. What cannot be read is left out.
 */
void control_groups_visit(const char *root, const char *controller,
                          void (*visit)(void *context, const struct control_group *g),
                          void *context);
