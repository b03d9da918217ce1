#ifndef MEASURE_CPU_H
#define MEASURE_CPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Nanoseconds of CPU time, user and system, that this process, all its threads and all children
 * it has waited for have used so far.
 */
uint64_t cpu_used_ns(void);

/*
 * How long a thread wanted a CPU, in nanoseconds: the time in which it computed, and the time in
 * which it was ready to run and waited for a free CPU. The rest of the time it slept, waiting for
 * storage or for another thread.
 */
struct cpu_demand {
    uint64_t computed_ns;
    uint64_t waited_ns;
    bool waited_unknown; /* the kernel does not tell; waited_ns is 0 */
};

/*
 * The demand of the calling thread since it began. The waiting time comes from
 * /proc/thread-self/schedstat, which not every kernel has. Reading it takes some ten microseconds,
 * so this is to be called outside of what is timed.
 */
struct cpu_demand cpu_demand_of_thread(void);

/* The demand between two readings of the same thread. */
struct cpu_demand cpu_demand_between(const struct cpu_demand *before,
                                     const struct cpu_demand *after);

/* Adds part to sum. If the waiting time of either is unknown, that of the sum is, too. */
void cpu_demand_add(struct cpu_demand *sum, const struct cpu_demand *part);

/* Replaces *most by *other if that is larger, by computing and waiting together. */
void cpu_demand_keep_larger(struct cpu_demand *most, const struct cpu_demand *other);

/*
 * Reads the waiting time from the text of a schedstat file: three numbers, the second of which is
 * in nanoseconds. Returns false when the text is of another form, or when the kernel has counted
 * nothing: then all three are 0.
 */
bool cpu_parse_schedstat(const char *text, uint64_t *waited_ns);

#endif
