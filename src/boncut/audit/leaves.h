#ifndef BONCUT_AUDIT_LEAVES_H
#define BONCUT_AUDIT_LEAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

/*
 * The drives at the bottom of a filesystem: neither volumes nor partitions. The kernel counts
 * flushes only for these (Documentation/block/stat.rst), not for device mapper and md.
 */
#define LEAVES_MOST DEVICE_MOST

enum write_cache { CACHE_UNKNOWN, CACHE_BACK, CACHE_THROUGH };

struct leaf {
    const struct device_set *devices;
    const struct device *device;
    enum write_cache cache; /* what the drive says about its cache, in queue/write_cache */
    int fua; /* 1: the drive accepts writes with FUA; 0: it does not; -1: not known */
    bool is_persistent_memory; /* which syncs in no time, and needs no request for that */
    bool is_virtual;           /* by its name, a hypervisor, a file or memory emulates this drive */
};

struct leaf_counts {
    bool known;
    uint64_t writes;
    uint64_t flushes;
};

/* Stores the leaves of the device set, which must outlive them. Returns the number of leaves. */
unsigned leaves_find(struct leaf leaves[LEAVES_MOST], const struct device_set *devices);

/* Number of requests that the leaf has received since the system started. */
struct leaf_counts leaf_count(const struct leaf *leaf);

#endif
