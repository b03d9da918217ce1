// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

#include "measure/device.h"
#include "measure/mount_info.h"

/*
 * What stands in the way: facts that the kernel shows about this machine and its storage, and that
 * make storage slower than it could be, or figures other than they seem. Each is read, never
 * guessed, and what cannot be read is not a fact.
 */

#define FACT_TEXT 160
#define FACT_MAX  16

/* How many of them a report for people prints. */
#define FACT_PRINTED 5

struct fact {
    const char *key;           /* which row of the table: "link"; constant */
    char text[FACT_TEXT];      /* in words, with its values and no comma: "nvme0n1: PCIe 3.0 x1" */
    uint64_t bytes_per_second; /* the most that a link carries; 0: the fact is not about a link */
};

struct facts {
    uint64_t link_per_second; /* the most bytes that the link to the only drive carries, by these
                                 facts; 0: not known */
    unsigned count;
    struct fact list[FACT_MAX]; /* those that matter most come first */
};

/*
 * Looks at the devices of the set and at the filesystem, below m->root and d->root. `used_percent`
 * of its space are in use; 0: not known.
 */
void facts_find(struct facts *f, const struct mount_info *m, const struct device_set *d,
                double used_percent);

/* Keeps what still holds in `later`: what ended meanwhile was not in the way all the time. */
void facts_keep(struct facts *f, const struct facts *later);
