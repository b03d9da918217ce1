// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/mount_info.h"

/* What the block devices below a directory did, by the kernel's counters
 * (Documentation/block/stat.rst), whichever program caused it.
 *
 * Bytes are those of the devices that the filesystem was made on: a partition, a logical volume, a
 * RAID, a loop device; for a btrfs, all its devices. They are what the filesystem asked for: blocks
 * of files, its own (journal, directories), and copies, if it makes any. The devices below these
 * (disks of a partition or volume, those that a loop's file is on) matter for the busy time, the
 * name, and what reached the drives. A loop's file is never touched: its server may be dead. tmpfs,
 * overlayfs, network filesystems, FUSE and ZFS have no devices. */

#define MAX_DEVICES   64
#define DEVICE_NAME   32 /* DISK_NAME_LEN of the kernel */
#define DEVICE_SUMS   (11 + MAX_DEVICES)
#define DEVICE_MODELS 256

struct device {
    char name[DEVICE_NAME]; /* "nvme0n1p2" */
    unsigned major, minor;
    unsigned top;   /* index of the first filesystem device that stands on this one, or of itself */
    bool leaf;      /* a lowest device below a volume, RAID or loop; the set's name lists it */
    bool stacked;   /* a volume, RAID or loop: devices of the set are below it */
    bool is_drive;  /* no device is known below it */
    bool is_part;   /* a partition, whose disk is in the set as well */
    bool has_parts; /* the disk of a partition of the set */
    bool counts;    /* all that it stores is counted: no pmem, and queue/iostats is not 0 */
    bool is_cached; /* a loop whose file is in the page cache (losetup without --direct-io) */
    char below[32]; /* type of the filesystem that a loop's file is on; empty: no loop */
};

/* What a btrfs writes besides the first copy of everything. */
struct device_copies {
    unsigned data;     /* further copies of data, or parities */
    unsigned metadata; /* the same of metadata */
    unsigned stripe;   /* with parities, number of devices of a stripe, which is read for them */
};

/* Owns nothing, so it can be copied, and needs no release. */
struct device_set {
    const char *root;    /* prefix of /sys, as in struct mount_info */
    unsigned count;      /* 0: there are no devices, or they could not be found */
    unsigned filesystem; /* so many, from the first one, the filesystem was made on */
    struct device_copies copies;
    struct device devices[MAX_DEVICES];
    char name[128]; /* "vda2", "dm-0 (nvme0n1, nvme1n1)", "sda, sdb"; empty if `count` is 0 */
};

/* The counters at one moment, which count since the system started, or between two moments. */
struct device_counters {
    bool known; /* false: there are none, or one has vanished; the other fields mean nothing */
    bool knows_stores; /* all devices count what they store, and drives their flushes (5.5) */
    struct device_copies copies; /* of the set; of several sets, of one of them */
    union {
        uint64_t sums[DEVICE_SUMS]; /* all that follow */
        struct {
            uint64_t queue_ns; /* time that requests spent in lowest devices, added up over them */
            uint64_t read_bytes, written_bytes;
            uint64_t read_ops, write_ops; /* number of requests to the devices, after merging */
            /* sums over the drives, which others may use as well */
            uint64_t drive_read_bytes, drive_written_bytes;
            uint64_t drive_stores;   /* number of writes and flushes that reached the drives */
            uint64_t disk_bytes;     /* of the disks of partitions, whichever partition has them */
            uint64_t part_bytes;     /* of those partitions */
            uint64_t lowest_busy_ns; /* mean of all lowest devices */
            uint64_t busy_ns[MAX_DEVICES]; /* of each, in steps of a millisecond or a tick */
        };
    };
};

/* Reads the first line of a file in the device's directory of sysfs, "queue/write_cache", without
 * blanks around it. Returns false, and an empty text, if it does not exist. */
bool device_fact(const struct device_set *d, const struct device *device, const char *name,
                 char *text, size_t size);

/* The counters of one device that this program uses, since the system started. */
struct device_stat {
    uint64_t reads; /* number of requests, after merging */
    uint64_t read_bytes, writes, written_bytes, busy_ms;
    uint64_t queue_ms;  /* time that requests spent in it, added up over them */
    bool knows_flushes; /* false: Linux before 5.5, which does not count them */
    uint64_t flushes;
};

/* Reads the device's file `stat` (Documentation/block/stat.rst). False: it has none any more. */
bool device_stat(const struct device_set *d, const struct device *device, struct device_stat *s);

/* Whether the names of the driver or of the disk model show that the device is virtual. */
bool device_is_virtual(const struct device_set *d, const struct device *device);

/* Finds the block devices below the filesystem p. */
void device_find(struct device_set *d, const struct mount_info *p);

/* Whether the set has a device with this number. */
bool device_set_has(const struct device_set *d, unsigned major, unsigned minor);

/* The models of the lowest devices ("Samsung SSD 990 PRO"), joined by ", "; empty: unknown. */
void device_models(const struct device_set *d, char models[static DEVICE_MODELS]);

/* Reads the counters, and what changed between two readings of a set: unknown when one of them is,
 * or a counter went backwards, because it wrapped or because another device has the number now. */
void device_read(const struct device_set *d, struct device_counters *now);
struct device_counters device_since(const struct device_counters *now,
                                    const struct device_counters *before);

/* Adds what changed later, or elsewhere. Unknown if either is. */
void device_add(struct device_counters *sum, const struct device_counters *part);

/* Share of the time for which the busiest device was busy. */
double device_busy_percent(const struct device_counters *spent, uint64_t elapsed_ns);

/* Parses the text of a file `dev` ("8:1"). Returns false when it has another form. */
bool device_parse_number(const char *text, unsigned *major, unsigned *minor);
