#ifndef RUN_SECTION_H
#define RUN_SECTION_H

#include <stdint.h>

#include "live/monitor.h"
#include "measure/device.h"
#include "sys/thread_pool.h"

/*
 * A section is a piece of work that is measured in one or several laps: its elapsed time, its CPU
 * time, and what the devices did. What happens between two laps does not count.
 */
struct section {
    const struct device_set *devices;
    struct monitor *monitor; /* watches the section; NULL: none */
    unsigned laps;           /* number of laps that ended without a failure */
    uint64_t elapsed_ns;     /* sum over all laps */
    uint64_t cpu_ns;
    struct cpu_demand busiest; /* demand of the busiest worker of each lap, added up */
    /* busy_percent is the share of elapsed_ns: each lap weighs as much as it is long */
    struct device_use device;
    struct device_counters before; /* counters at the start of the current lap */
};

/* Begins a lap. The work must begin right afterwards. */
void section_begin_lap(struct section *s);

/*
 * Ends the lap, and adds the times of its work to the section. times == NULL: the work has failed,
 * and nothing is added.
 */
void section_end_lap(struct section *s, const struct task_times *times);

/* Computes the difference of two snapshots of a section that were taken between laps. */
void section_subtract(struct section *difference, const struct section *now,
                      const struct section *before);

#endif
