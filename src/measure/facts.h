// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/device.h"

/* What stands in the way: facts that the kernel shows about this machine and its storage, and that
 * make storage slower than it could be, or figures other than they seem. Each is read, never
 * guessed, and what cannot be read is not a fact. */

#define FACT_TEXT    160
#define FACT_MAX     16
#define FACT_LINK    40
#define FACT_PRINTED 5 /* so many of them a report for people prints */

struct fact {
    const char *key;           /* which row of the table: "link"; constant */
    char text[FACT_TEXT];      /* in words, with its values and no comma: "nvme0n1: PCIe 3.0 x1" */
    unsigned device;           /* whose fact it is, by its number in the set; 0 also of none */
    uint64_t bytes_per_second; /* the most that a link carries; 0: not about one, or not known */
};

/* All 0 before the first look. */
struct facts {
    bool has_looked;
    char link[FACT_LINK];     /* to the only drive or the server: "PCIe 3.0 x4"; empty: not known */
    uint64_t link_per_second; /* the most bytes that it carries, by these facts; 0: not known */
    uint64_t discards[MAX_DEVICES]; /* how many each device had been asked for at the first look */
    unsigned count;
    struct fact list[FACT_MAX]; /* those that matter most come first */
};

/* Looks at the devices of the set and at the filesystem, below the root of both. Later looks drop
 * what has ended, because it was not in the way all the time, and add what others did meanwhile.
 * `others_moved`: they were seen to use the device. */
void facts_look(struct facts *f, const struct mount_info *m, const struct device_set *d,
                bool others_moved);

/* Prints those that matter most, each beside the label (label_print). */
void facts_print(FILE *out, const char *label, const struct facts *f);
