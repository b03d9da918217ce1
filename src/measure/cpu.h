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
 * What a thread wanted of a CPU, in nanoseconds: the time in which it computed, and the time in
 * which it could have and waited until a CPU was free. For all other time it slept: it waited for
 * storage, or for another thread.
 */
struct cpu_demand {
    uint64_t computed_ns;
    uint64_t waited_ns;
    bool waited_unknown; /* the kernel does not tell; waited_ns is 0 */
};

/*
 * What the calling thread has wanted since it began. The waiting is what
 * /proc/thread-self/schedstat says, which not every kernel has; that takes some ten microseconds,
 * so it is to be read outside what is timed.
 */
struct cpu_demand cpu_demand_of_thread(void);

/* What came between two readings of the same thread. */
struct cpu_demand cpu_demand_between(const struct cpu_demand *before,
                                     const struct cpu_demand *after);

/* Adds part to sum. The waiting in a sum with an unknown part is unknown. */
void cpu_demand_add(struct cpu_demand *sum, const struct cpu_demand *part);

/* Makes *most the larger of the two, by computing and waiting together. */
void cpu_demand_keep_larger(struct cpu_demand *most, const struct cpu_demand *other);

/*
 * Reads the waiting from the text of a schedstat file: three numbers, of which the second is
 * nanoseconds. False when it is not such a text, or when the kernel has not counted: then all
 * three are 0.
 */
bool cpu_parse_schedstat(const char *text, uint64_t *waited_ns);

#endif
