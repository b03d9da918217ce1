#ifndef MEASURE_DEVICE_H
#define MEASURE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/mount_info.h"

/*
 * What the block devices below a directory do, by the kernel's own counters (Documentation/block/
 * stat.rst of the kernel). They count everything that happens on the devices, whichever program
 * asks for it.
 *
 * The bytes are those of the devices that the filesystem was made on: a partition, a logical
 * volume, a RAID, a loop device; of a btrfs, all of its devices. That is what the filesystem asked
 * for, whatever a RAID makes of it: the blocks of files, its own (journal, directories), and twice
 * the blocks when it is the filesystem that mirrors, as btrfs may. The devices below those (the
 * disk of the partition, the disks of the volume) count only for how busy storage was, and for the
 * name. The file below a loop device is not followed.
 *
 * There are none below tmpfs, overlayfs, network filesystems, FUSE, and ZFS.
 */

#define DEVICE_MOST 64
#define DEVICE_NAME 32 /* DISK_NAME_LEN of the kernel */

struct device {
    char name[DEVICE_NAME]; /* "nvme0n1p2" */
    unsigned major;
    unsigned minor;
    unsigned top; /* the first of the set's filesystem devices that stands on it, or itself */
    bool leaf;    /* one of the lowest that is below a volume or RAID: appears in the name */
    bool stacked; /* it is a volume or RAID: others of the set are below it */
};

/* Owns nothing: it may be copied, and needs no release. */
struct device_set {
    const char *root;    /* of /sys, as in struct mount_info */
    unsigned count;      /* 0: there are none, or they could not be found */
    unsigned filesystem; /* number of them, from the first on, that the filesystem itself lies on */
    struct device devices[DEVICE_MOST];
    char name[128]; /* "vda2", "dm-0 (nvme0n1, nvme1n1)", "sda, sdb"; empty when count is 0 */
};

/* At one moment, since the system started. */
struct device_counters {
    bool known; /* false: no devices, or one has vanished; the rest means nothing */
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_ops;
    uint64_t write_ops;
    uint64_t busy_ns[DEVICE_MOST]; /* of each device; in steps of a millisecond or a tick */
};

/* What the devices did between two moments or in several such stretches, by the kernel's counters.
 */
struct device_use {
    bool known; /* false: there is none (tmpfs, NFS), and the rest means nothing */
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t read_ops; /* after merging: what the devices were asked for */
    uint64_t write_ops;
    double busy_percent; /* of the elapsed time; of several devices, the busiest */
};

/* What the kernel's file `stat` says of one device. */
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
 * What the lowest of the devices are, as far as they tell: their models ("Samsung SSD 990 PRO"),
 * and the schedulers in use on them ("mq-deadline"). Of several they are joined by ", ", in the
 * order of the set; empty: not known.
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
 * What changed between two readings of the same set that were elapsed_ns apart. False when that is
 * not known: a reading is not, or a counter went backwards, because it wrapped or because another
 * device has that number by now.
 */
bool device_difference(const struct device_counters *before, const struct device_counters *after,
                       uint64_t elapsed_ns, struct device_use *use);

/* Reads the text of a file `dev` ("8:1") or `stat`. False when it is not such a text. */
bool device_parse_number(const char *text, unsigned *major, unsigned *minor);
bool device_parse_stat(const char *text, struct device_stat *s);

#endif
