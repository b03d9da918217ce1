// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/control_group.h"
#include "measure/cpu.h"
#include "measure/sources.h"

/* All counters of one moment. Whatever is said about a stretch of time (a lap, a round, a step, a
 * whole run) comes from the difference of two readings, which has the same form; differences can be
 * added up. Owns nothing, and has no pointers. */
struct reading {
    uint64_t ns; /* clock_ns(); in a difference, the time between both */

    /* Set by the caller, in differences: the measured work itself. */
    uint64_t work_ns;          /* CPU time of all workers */
    struct cpu_demand busiest; /* the largest demand of a worker */
    uint64_t changes;          /* number of operations that may have changed something on storage */
    bool is_direct; /* its writes went past the page cache, so that they are in no journal */

    /* This process, and the children that it has waited for. */
    uint64_t own_ns;          /* CPU time */
    bool knows_own;           /* false: own_bytes means nothing */
    uint64_t own_bytes[WAYS]; /* what it caused on any device (/proc/self/io) */

    /* Everybody on the CPUs that this process may use, as /proc/stat has it. */
    unsigned cpus; /* 0: unknown */
    uint64_t used_ns;
    uint64_t stolen_ns; /* time in which the host of this virtual machine ran something else */

    unsigned quota_count;
    struct quota_counts quotas[CPU_QUOTAS];

    /* Everybody on the storage. */
    struct device_counters device;
    struct moved_bytes moved;
};

/* Reads all counters. s may be NULL: then there is no storage to watch. A reading takes some
 * hundred microseconds, so do not take one while something is being timed. */
void reading_take(struct reading *now, const struct sources *s, const struct cpu_quotas *q);

/* What was counted between two readings or sums. What one of them does not know is unknown. */
struct reading reading_since(const struct reading *now, const struct reading *before);

/* Adds a later stretch of time to a sum; or what another rank counted in the same time: what ranks
 * of a host share counts only if is_first, which is set for the first rank of each host. */
void reading_add(struct reading *sum, const struct reading *part);
void reading_join(struct reading *all, const struct reading *one, bool is_first);

/* The share of a quota, in percent, that was used, and which; 0: none held anybody back. */
double reading_quota_percent(const struct reading *spent, double *cpus);

/* The longest time for which a quota held the process back, at most. */
uint64_t reading_throttled_ns(const struct reading *spent);
