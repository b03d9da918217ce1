#ifndef TAIL_GROUND_H
#define TAIL_GROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

/*
 * Where the filesystem's device is, as requests name it: a partition is a part of its disk. Not
 * known where the filesystem has several devices, or volumes between itself and the disks.
 */
struct tail_ground {
    bool is_known;
    uint32_t device; /* as in struct tail_event */
    uint64_t start;  /* its first sector there */
};

void tail_ground_find(struct tail_ground *g, const struct device_set *devices);

#endif
