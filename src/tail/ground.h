#ifndef TAIL_GROUND_H
#define TAIL_GROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/device.h"

/*
 * The place of the filesystem's device in the terms of requests, for which a partition is a part of
 * its disk. It is not known where the filesystem has several devices, or volumes between itself and
 * the disks.
 */
struct tail_ground {
    bool is_known;
    uint32_t device; /* as in struct tail_event */
    uint64_t start;  /* first sector of the filesystem's device on `device` */
};

void tail_ground_find(struct tail_ground *g, const struct device_set *devices);

#endif
