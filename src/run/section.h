#ifndef RUN_SECTION_H
#define RUN_SECTION_H

#include <stdint.h>

#include "live/monitor.h"
#include "measure/device.h"
#include "sys/thread_pool.h"

/*
 * A section is a stretch of work that is measured, in one lap or in several with preparations
 * between them that do not count: its clock, the CPU time, and what the devices did during it.
 */
struct section {
    const struct device_set *devices;
    struct monitor *monitor; /* watches the section; NULL: nothing does */
    unsigned laps;           /* number of laps that have ended well */
    uint64_t elapsed_ns;     /* of all laps, with nothing between them */
    uint64_t cpu_ns;
    struct cpu_demand busiest;     /* of the busiest worker of each lap, added up */
    struct device_use device;      /* busy_percent is that of the time, weighted by lap */
    struct device_counters before; /* the lap that is under way */
};

/* Begins a lap: the work is to begin right after. */
void section_begin_lap(struct section *s);

/*
 * Ends the lap that was begun: the work took these times, which are added to what the section
 * has. NULL: it failed, and nothing is added.
 */
void section_end_lap(struct section *s, const struct task_times *times);

/* What a section did between two looks at it, which are copies of it, taken between two laps. */
void section_subtract(struct section *difference, const struct section *now,
                      const struct section *before);

#endif
