#ifndef MEASURE_BOTTLENECK_H
#define MEASURE_BOTTLENECK_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/cpu.h"
#include "measure/device.h"
#include "measure/io_limit.h"

/*
 * What limited the figure of a piece of work: the device, the page cache or the CPU, judged by what
 * was counted during the work. docs/what-is-measured.md gives the rules in words, with an example
 * of each. This module states facts only; the code that prints them puts them into words.
 */
enum bottleneck { LIMITED_UNKNOWN, LIMITED_DEVICE, LIMITED_PAGE_CACHE, LIMITED_CPU };

/* "device", "page cache", "cpu" or "unknown". */
const char *bottleneck_name(enum bottleneck bottleneck);

/* The reason for a verdict. */
enum bottleneck_reason {
    REASON_NOTHING_EXPLAINS, /* unknown: neither the device nor a CPU was busy */
    REASON_NO_DEVICE,        /* unknown: there is no device that could be watched */
    REASON_DEVICE_BUSY,      /* device */
    REASON_DEVICE_HELD,      /* device: it was held to a control group's limit */
    REASON_IN_MEMORY,        /* page cache: the filesystem is in memory */
    REASON_READ_FROM_CACHE,  /* page cache: the device did not read as much as was asked for */
    REASON_NOT_WRITTEN,      /* page cache: the device did not write as much as was asked for */
    REASON_NOTHING_MOVED,    /* cpu: the work asked for no transfer at all */
    REASON_COMPUTED,         /* cpu: the busiest worker computed most of the time */
    REASON_CPUS_FULL,        /* cpu: all workers together used the CPUs there are */
    REASON_OTHERS_COMPUTED,  /* cpu: a worker waited for a CPU that other programs used */
    REASON_COUNT
};

struct evidence {
    uint64_t elapsed_ns;
    uint64_t cpu_ns;           /* CPU time of all workers */
    struct cpu_demand busiest; /* the largest demand of any worker in each lap, added up */
    unsigned cpus;             /* number of CPUs that the process may use */
    unsigned workers;
    uint64_t read_bytes; /* bytes that the work asked for */
    uint64_t written_bytes;
    double resident_percent; /* share of what was read that was in the page cache before; 0: not
                                known */
    const char *filesystem;  /* its type; NULL: not known */
    bool is_stored;          /* false: the work moved nothing */
    bool computes; /* it computes on every byte, so that its CPU time is more than copying */
    struct device_use device; /* during the work; the traffic of other programs is included */
    struct io_limit limit;    /* the limit on that device */
};

/* All percentages except held_percent are shares of the elapsed time or of the bytes. */
struct judgement {
    enum bottleneck by;
    enum bottleneck_reason reason;
    bool device_known;          /* false: device_percent and moved_percent mean nothing */
    double device_percent;      /* time for which the device was busy */
    double computed_percent;    /* time for which the busiest worker computed */
    double waited_percent;      /* time for which it waited for a CPU; negative: not known */
    double cpus_percent;        /* use of all CPUs together */
    double moved_percent;       /* share of the requested bytes that the device moved, up to 100 */
    enum io_limit_kind held_by; /* the limit that was used most */
    uint64_t held_to;           /* its value per second */
    double held_percent;        /* the share of it that was used; 0: there was no limit */
};

void bottleneck_judge(struct judgement *j, const struct evidence *e);

#endif
