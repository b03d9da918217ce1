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

/* A quota of CPU time that a group of this process has. Owns nothing. */
struct cpu_quota {
    double cpus; /* number of CPUs whose time the group may use */
    uint64_t period_ns;
    uint64_t unit_ns;    /* of the throttled time in `stat` */
    char stat[PATH_MAX]; /* the group's file cpu.stat */
};

/* All of them: groups stand above each other. */
#define CPU_QUOTAS 4

struct cpu_quotas {
    unsigned count;
    struct cpu_quota list[CPU_QUOTAS];
};

/* Finds the quotas: cpu.max, or cpu.cfs_quota_us of version 1. */
void cpu_quotas_find(struct cpu_quotas *q, const char *root);

/* The lowest of them, in CPUs; 0: there is none. */
double cpu_quotas_lowest(const struct cpu_quotas *q);

/* What a quota did up to now, or between two readings. */
struct quota_counts {
    double cpus;
    uint64_t period_ns;
    uint64_t periods;
    uint64_t throttled;    /* periods in which all of it was used */
    uint64_t throttled_ns; /* how long it held threads back, on all CPUs together */
};

void cpu_quota_read(const struct cpu_quota *q, struct quota_counts *now);
