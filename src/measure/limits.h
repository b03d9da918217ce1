#ifndef BONNIE_MEASURE_LIMITS_H
#define BONNIE_MEASURE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "result.h"

/*
 * What held the figure of a test down: the device, the page cache or the CPU, judged by what was
 * counted while it ran. docs/what-is-measured.md gives the rules in words, with an example of each.
 */
struct evidence {
    uint64_t elapsed_ns;
    uint64_t busiest_cpu_ns; /* CPU time of the worker or seeker that used most, in each round */
    unsigned in_flight;      /* operations at a time, of all workers or seekers together */
    uint64_t read_bytes;     /* that the test asked for */
    uint64_t written_bytes;
    const char *filesystem;   /* its type; NULL: not known */
    bool is_stored;           /* false: nothing was moved (the null engine) */
    bool is_direct;           /* with O_DIRECT */
    struct device_use device; /* while it ran; others' traffic is in it too */
};

/*
 * Judges. The sentences name the figures that they rest on. They have no commas: scripts take a
 * line with one for the CSV line.
 */
void limits_judge(struct verdict *v, const struct evidence *e);

#endif
