// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "measure/cpu.h"
#include "measure/device.h"
#include "measure/io_limit.h"
#include "measure/sources.h"

/*
 * Judges what limited the figure of a piece of work: the device, the page cache, a server or the
 * CPU, by what was counted during the work. docs/what-is-measured.md has the rules in words, and an
 * example of each. This module only states facts; the code that prints them finds the words.
 */
enum limited_by {
    LIMITED_UNKNOWN,
    LIMITED_DEVICE,
    LIMITED_PAGE_CACHE,
    LIMITED_SERVER,
    LIMITED_CPU
};

/* A name: "device", "page cache", "server", "cpu" or "unknown". */
const char *limit_name(enum limited_by by);

/* Why a verdict was given. */
enum limit_reason {
    REASON_NOTHING_EXPLAINS, /* unknown: neither the device nor a CPU was busy */
    REASON_NO_DEVICE,        /* unknown: no device could be watched, and nothing else shows it */
    REASON_STORAGE_MOVED,   /* unknown: the bytes came from or went to storage that has no device */
    REASON_DEVICE_BUSY,     /* device */
    REASON_DEVICE_HELD,     /* device: it was held to the limit of a control group */
    REASON_IN_MEMORY,       /* page cache: the filesystem is in memory */
    REASON_READ_FROM_CACHE, /* page cache: storage read less than was asked for */
    REASON_NOT_DIRECT,      /* page cache: O_DIRECT was asked for, and the data went through it */
    REASON_NOT_WRITTEN,     /* page cache: storage wrote less than was asked for */
    REASON_SERVER_MOVED,    /* server: the bytes went over a network, and no CPU was wanted */
    REASON_NOTHING_MOVED,   /* cpu: the work asked for no transfer */
    REASON_COMPUTED,        /* cpu: the busiest worker computed most of the time */
    REASON_CPUS_FULL,       /* cpu: all workers together used all CPUs */
    REASON_QUOTA,           /* cpu: a control group's quota of CPU time was used */
    REASON_OTHERS_COMPUTED, /* cpu: a worker waited for a CPU that other programs used */
    REASON_COUNT
};

/* Whether O_DIRECT went past the page cache. */
enum direct_seen { DIRECT_NOT_KNOWN, DIRECT_NO, DIRECT_YES };

#define DIRECT_REASON 80

struct direct_use {
    bool asked; /* false: the rest means nothing */
    enum direct_seen seen;
    char
        reason[DIRECT_REASON]; /* what was seen, without a full stop: "btrfs buffered the writes" */
};

struct evidence {
    uint64_t elapsed_ns;
    uint64_t cpu_ns; /* CPU time of all workers */
    /* the largest demand of any worker in each lap, added up over all laps */
    struct cpu_demand busiest;
    unsigned cpus; /* number of CPUs that the process may use */
    unsigned workers;
    uint64_t read_bytes; /* number of bytes that the work asked for */
    uint64_t written_bytes;
    /* share of what was read that was in the page cache before; 0: unknown */
    double resident_percent;
    bool is_cold;           /* next to nothing of what was read is known to have been there */
    bool compresses;        /* the filesystem may have made the bytes fewer */
    const char *filesystem; /* type of the filesystem, below an overlay; NULL: unknown */
    bool is_stored;         /* false: the work moved no data to the storage */
    bool computes; /* the work computes on every byte, so it takes more CPU time than copying */
    struct device_use device; /* what the device did during the work, for other programs, too */
    struct moved_bytes moved; /* the same bytes, by the source that speaks about them */
    struct io_limit limit;    /* limits on that device */
    struct direct_use direct;
    double quota_cpus;    /* CPU time that a control group may use, in CPUs; 0: any */
    double quota_percent; /* share of it that was used; 0: nobody was held back */
};

/* All percentages but held_percent and quota_percent are shares of the elapsed time or bytes. */
struct judgement {
    enum limited_by by;
    enum limit_reason reason;
    bool device_known;          /* false: device_percent means nothing */
    enum source source;         /* the source of moved_percent; SOURCE_NONE: it is unknown */
    enum way way;               /* whether the work read most, or wrote most */
    double device_percent;      /* time for which the device was busy */
    double computed_percent;    /* time for which the busiest worker computed */
    double waited_percent;      /* time for which it waited for a CPU; negative: unknown */
    double cpus_percent;        /* use of all CPUs together */
    double moved_percent;       /* share of the requested bytes that storage moved, at most 100 */
    enum io_limit_kind held_by; /* the limit of which the largest share was used */
    uint64_t held_to;           /* value of this limit, per second */
    double held_percent;        /* share of it that was used; 0: there was no limit */
    struct direct_use direct;
    double quota_cpus; /* the quota of CPU time, and the share of it that was used */
    double quota_percent;
};

/* Sets *j by the evidence, which need not outlive the call. */
void limit_judge(struct judgement *j, const struct evidence *e);
