// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/device.h"

/* A control group whose limits apply to this process. */
struct control_group {
    char directory[PATH_MAX]; /* where the kernel shows it; empty: the end of a list */
    bool is_v2;
    bool is_own; /* the process's own group, and not one above it */
};

/* Finds the group of a process, 0 being this one, under a controller ("blkio", "cpu", "memory" or
 * "pids", as version 1 names them), and all groups above that, as far as they are mounted. `root`
 * is a prefix of /proc and /sys, "" except in tests. What cannot be read is left out. The caller
 * frees the list; NULL: no memory. */
struct control_group *control_groups_find(const char *root, int process, const char *controller);

/* The lowest limit that any of these groups sets on memory, in bytes: memory.max and memory.high,
 * or memory.limit_in_bytes of version 1; 0: there is none. */
uint64_t control_group_memory(const char *root);

/* How many processes and threads these groups allow beside those in them; UINT64_MAX: no limit. */
uint64_t control_group_tasks(const char *root);

/* Quotas of CPU time that groups of this process have, which stand above each other. */
#define CPU_QUOTAS 4

struct cpu_quota {
    double cpus; /* number of CPUs whose time the group may use */
    uint64_t period_ns;
    uint64_t unit_ns;    /* of the throttled time in `stat` */
    char stat[PATH_MAX]; /* the group's file cpu.stat */
};

struct cpu_quotas {
    unsigned count;
    struct cpu_quota list[CPU_QUOTAS];
};

/* Finds the quotas: cpu.max, or cpu.cfs_quota_us of version 1. The lowest is in CPUs; 0: none. */
void cpu_quotas_find(struct cpu_quotas *q, const char *root);
double cpu_quotas_lowest(const struct cpu_quotas *q);

/* What a quota did up to now, or between two readings. */
struct quota_counts {
    double cpus;
    uint64_t period_ns, periods;
    uint64_t throttled;    /* periods in which all of it was used */
    uint64_t throttled_ns; /* how long it held threads back, on all CPUs together */
};

void cpu_quota_read(const struct cpu_quota *q, struct quota_counts *now);

/* The rates to which a control group limits the use of a device (io.max, or blkio.throttle in
 * version 1). The kernel holds transfers back before they reach it, so that it looks idle. */
enum io_limit_kind {
    IO_LIMIT_READ_BYTES,
    IO_LIMIT_WRITTEN_BYTES,
    IO_LIMIT_READ_OPS,
    IO_LIMIT_WRITE_OPS,
    IO_LIMIT_KINDS
};

struct io_limit {
    uint64_t per_second[IO_LIMIT_KINDS]; /* 0: no limit */
};

/* Adds the limits of another host. A kind that is unlimited on either host is unlimited in *all. */
void io_limit_join(struct io_limit *all, const struct io_limit *one);

/* Finds the lowest limits of a process (0: this one) on the devices of d, as far as it can. */
void io_limit_find(struct io_limit *l, const struct device_set *d, int process);

/* Finds them again in *l, after work. Returns those that are as they were before. */
struct io_limit io_limit_kept(struct io_limit *l, const struct device_set *d);

/* Lowers l by a line of io.max ("8:0 rbps=20971520 wbps=max riops=max wiops=max"; only:
 * IO_LIMIT_KINDS) or of a file of version 1 ("8:0 20971520"), if it names a device of d. */
void io_limit_read_line(struct io_limit *l, const struct device_set *d, const char *line,
                        enum io_limit_kind only);
