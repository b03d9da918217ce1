#ifndef RUN_SECTION_H
#define RUN_SECTION_H

#include <stdint.h>

#include "live/monitor.h"
#include "measure/device.h"
#include "sys/thread_pool.h"

/*
 * A section is a piece of work that is measured in one or several laps: its elapsed time, its CPU
 * time, and the activity of the devices. What happens between two laps does not count.
 */
struct section {
    const struct device_set *devices;
    struct monitor *monitor; /* watches the section; NULL: none */
    unsigned laps;           /* number of laps that ended without a failure */
    uint64_t elapsed_ns;     /* sum of all laps */
    uint64_t cpu_ns;
    struct cpu_demand busiest; /* of the busiest worker of each lap, added up */
    /* busy_percent is the share of elapsed_ns, with each lap weighted by its length */
    struct device_use device;
    struct device_counters before; /* counters at the start of the current lap */
};

/* Begins a lap; the work has to begin right after. */
void section_begin_lap(struct section *s);

/*
 * Ends the current lap and adds the times of its work to the section. NULL: the work failed, and
 * nothing is added.
 */
void section_end_lap(struct section *s, const struct task_times *times);

/* The difference between two snapshots of a section that were taken between laps. */
void section_subtract(struct section *difference, const struct section *now,
                      const struct section *before);

#endif
