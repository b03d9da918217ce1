// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/base.h"

/* CPU time in ns, user and system, that this process, its threads and all children that it has
 * waited for have used so far. */
uint64_t cpu_used_ns(void);

/* How long a thread wanted a CPU, in ns: it computed, or was ready to run and waited for a free
 * one. The rest of the time it slept, and waited for storage or another thread. */
struct cpu_demand {
    uint64_t computed_ns, waited_ns;
    bool waited_unknown; /* the kernel does not say; waited_ns is 0 */
};

/* The demand of the calling thread since it started. The waiting time comes from
 * /proc/thread-self/schedstat, which some kernels lack. Reading it takes some ten microseconds, so
 * do not call this while something is being timed. */
struct cpu_demand cpu_demand_of_thread(void);

/* The demand of a thread between two readings, and the sum. If the waiting time of either is
 * unknown, that of the result is. */
struct cpu_demand cpu_demand_between(const struct cpu_demand *before,
                                     const struct cpu_demand *after);
void cpu_demand_add(struct cpu_demand *sum, const struct cpu_demand *part);

/* Replaces *most by *other if *other is larger in the sum of computing and waiting. */
void cpu_demand_keep_larger(struct cpu_demand *most, const struct cpu_demand *other);

/* Reads the waiting time in ns, the second of three numbers, from a schedstat file that is at its
 * beginning. Returns false if it has another form, or is all 0: the kernel counts nothing. Uses
 * neither stdio nor malloc, which a forked process must not call. */
bool cpu_read_schedstat(int fd, uint64_t *waited_ns);
