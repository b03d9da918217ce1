#ifndef MEASURE_DEVICE_H
#define MEASURE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/mount_info.h"

/*
 * The activity of the block devices below a directory, from the kernel's counters
 * (Documentation/block/ stat.rst of the kernel). They count everything that happens on the devices,
 * whichever program caused it.
 *
 * The bytes are those of the devices that the filesystem was made on: a partition, a logical
 * volume, a RAID, a loop device; of a btrfs, all of its devices. That is what the filesystem asked
 * for, whatever a RAID makes of it: the blocks of files, its own (journal, directories), and twice
 * the blocks when it is the filesystem that mirrors, as btrfs may. The devices below those (the
 * disk of the partition, the disks of the volume) matter only for the busy time and for the name.
 * The file below a loop device is not followed.
 *
 * No block devices are found below tmpfs, overlayfs, network filesystems, FUSE, and ZFS.
 */

#define DEVICE_MOST 64
#define DEVICE_NAME 32 /* DISK_NAME_LEN of the kernel */

struct device {
    char name[DEVICE_NAME]; /* "nvme0n1p2" */
    unsigned major;
    unsigned minor;
    /* index of the first filesystem device of the set that stands on it, or its own */
    unsigned top;
    bool leaf;    /* one of the lowest devices below a volume or RAID: appears in the name */
    bool stacked; /* a volume or RAID: other devices of the set are below it */
};

/* Owns nothing: it may be copied, and needs no release. */
struct device_set {
    const char *root; /* prefix of /sys, as in struct mount_info */
    unsigned count;   /* 0: there are no devices, or they could not be found */
    /* number of devices, from the first on, that the filesystem itself lies on */
    unsigned filesystem;
    struct device devices[DEVICE_MOST];
    char name[128]; /* "vda2", "dm-0 (nvme0n1, nvme1n1)", "sda, sdb"; empty when count is 0 */
};

/* The counters at one moment, since the system started. */
struct device_counters {
    /* false: there are no devices, or one has vanished; the other fields mean nothing */
    bool known;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_ops;
    uint64_t write_ops;
    uint64_t busy_ns[DEVICE_MOST]; /* of each device; in steps of a millisecond or a tick */
};

/* The activity of the devices in one or several periods, from the kernel's counters. */
struct device_use {
    bool known; /* false: there is no device (tmpfs, NFS), and the other fields mean nothing */
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_ops; /* requests to the devices, counted after merging */
    uint64_t write_ops;
    double busy_percent; /* share of the elapsed time; with several devices, that of the busiest */
};

/* The contents of the kernel's file `stat` of one device. */
struct device_stat {
    uint64_t read_ops;
    uint64_t read_sectors;
    uint64_t write_ops;
    uint64_t write_sectors;
    uint64_t busy_ms;
};

/* Finds the block devices below p. */
void device_find(struct device_set *d, const struct mount_info *p);

/*
 * Describes the lowest of the devices, as far as sysfs does: their models ("Samsung SSD 990 PRO")
 * and their schedulers ("mq-deadline"). Several are joined by ", " in the order of the set; empty:
 * not known.
 */
#define DEVICE_FACT 256
struct device_facts {
    char model[DEVICE_FACT];
    char scheduler[DEVICE_FACT];
};
void device_describe(const struct device_set *d, struct device_facts *facts);

/* Reads the counters. */
void device_read(const struct device_set *d, struct device_counters *now);

/*
 * The change between two readings of the same set that were elapsed_ns apart. Returns false when it
 * is not known: one of the readings is not, or a counter went backwards, because it wrapped or
 * because another device has the number now.
 */
bool device_difference(const struct device_counters *before, const struct device_counters *after,
                       uint64_t elapsed_ns, struct device_use *use);

/* Parse the text of the files `dev` ("8:1") and `stat`. Return false when it is of another form. */
bool device_parse_number(const char *text, unsigned *major, unsigned *minor);
bool device_parse_stat(const char *text, struct device_stat *s);

#endif
