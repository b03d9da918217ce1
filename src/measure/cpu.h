#ifndef BONNIE_MEASURE_CPU_H
#define BONNIE_MEASURE_CPU_H

#include <stdint.h>

/*
 * Nanoseconds of CPU time, user and system, that this process, all its threads and all children
 * it has waited for have used so far.
 */
uint64_t cpu_used_ns(void);

/* The same of the calling thread alone. */
uint64_t cpu_of_thread_ns(void);

#endif
