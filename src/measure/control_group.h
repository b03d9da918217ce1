// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* A control group whose limits apply to this process. */
struct control_group {
    const char *directory; /* where the kernel shows it */
    bool is_v2;
    bool is_own; /* the process's own group, and not one above it */
};

/*
 * Calls visit() for the group of this process under a controller ("blkio", "cpu" or "memory", as
 * version 1 names them), and for all groups above that, as far as they are mounted. `root` is a
 * prefix of /proc and /sys, "" except in tests. What cannot be read is left out.
 */
void control_groups_visit(const char *root, const char *controller,
                          void (*visit)(void *context, const struct control_group *g),
                          void *context);

/*
 * The lowest limit that any of these groups sets on memory, in bytes: memory.max and memory.high,
 * or memory.limit_in_bytes of version 1; 0: there is none.
 */
uint64_t control_group_memory(const char *root);

/* The lowest quota of CPU time. Owns nothing. */
struct cpu_quota {
    double cpus;         /* number of CPUs whose time the group may use; 0: there is no quota */
    char stat[PATH_MAX]; /* the group's file cpu.stat */
};

/* Finds the quota: cpu.max, or cpu.cfs_quota_us of version 1. */
void cpu_quota_find(struct cpu_quota *q, const char *root);

/* The periods of a quota up to now: in those that were throttled, all of it was used. */
struct quota_periods {
    uint64_t all;
    uint64_t throttled;
};

struct quota_periods cpu_quota_periods(const struct cpu_quota *q);

/*
 * The share of a quota, in percent, that was used in elapsed_ns, when this process used cpu_ns and
 * p was counted; 0: there is no quota, or it held nobody back.
 */
double cpu_quota_used(const struct cpu_quota *q, const struct quota_periods *p, uint64_t cpu_ns,
                      uint64_t elapsed_ns);
