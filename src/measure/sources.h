// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/device.h"

/* The sources of evidence about where the bytes of some work came from or went to. A table in
 * sources.c has a row for each: where its figures come from, what it counts, on which filesystems
 * it may speak, and what it cannot say. The first one that may speak does. The other fields of the
 * device (operations, busy time) are read by device.h alone. */
enum source {
    SOURCE_NONE,
    SOURCE_DEVICE,   /* block devices of the filesystem, by their counters */
    SOURCE_PROCESS,  /* this process: read_bytes of /proc/self/io */
    SOURCE_GROUP,    /* control group of this process: io.stat, or blkio of version 1 */
    SOURCE_NFS,      /* server of an NFS: /proc/self/mountstats */
    SOURCE_CIFS,     /* server of a CIFS: /proc/fs/cifs/Stats */
    SOURCE_ZFS,      /* what ZFS did not find in its cache: arcstats */
    SOURCE_BELOW,    /* block devices below the upper layer of an overlay */
    SOURCE_RESIDENT, /* the page cache: what it had before the work began */
    SOURCE_COUNT
};

enum way { WAY_READ, WAY_WRITTEN, WAYS };

enum source_trait {
    SOURCE_OF_STORAGE = 1, /* what it counts is named: "from storage" */
    SOURCE_OF_SERVER = 2,  /* its bytes went over a network */
    SOURCE_OF_PROCESS = 4, /* counts for one process, and not for the host */
    SOURCE_OF_RECORDS = 8, /* counts records, and not bytes */
    SOURCE_OF_CACHE = 16,  /* has a cache of its own, where what it has not moved may come from */
};

/* A source without a file has no bytes here. A row knows nothing of a way for which it has no verb.
 * If a row may count a volume and also the disk below it, what was read ahead, or other pools, its
 * sum is an upper bound. */
struct sources;
#define SOURCE_KEYS 2

extern const struct source_row {
    const char *name;        /* in JSON; NULL: SOURCE_NONE */
    const char *filesystems; /* types on which it may speak; NULL: any */
    const char *file;        /* "": the control group's */
    /* formats of sscanf(3) that find a number in a line; all that are found are added up */
    const char *keys[WAYS][SOURCE_KEYS];
    const char *subject, *verbs[WAYS];                         /* "The device" "read" */
    unsigned of;                                               /* bits of enum source_trait */
    int (*is_ours)(const char *line, const struct sources *s); /* NULL: every line is ours */
} source_rows[SOURCE_COUNT];

/* The sources that speak about a directory. Owns nothing. */
struct sources {
    struct mount_info mount;   /* the filesystem of the directory */
    struct device_set devices; /* its devices, or those below the upper layer of an overlay */
    /* type of the filesystem; of an overlay, that of its upper layer, if that can be seen */
    char filesystem[32];
    enum source by[WAYS];
    char group_file[PATH_MAX]; /* the control group's statistics; empty: there are none */
    uint64_t record_bytes;     /* of a ZFS, the size of a record */
    bool compresses;           /* what is counted may be compressed; false: as far as is known */
};

/* What the sources counted up to now, or between two readings. Owns nothing. */
struct moved_bytes {
    enum source by[WAYS]; /* SOURCE_NONE: unknown */
    uint64_t bytes[WAYS]; /* of devices always 0: struct device_counters has theirs */
};

/* Finds what is below the directory or block device behind fd, and which sources speak. */
void sources_find(struct sources *s, int fd);

/* Finds out which sources speak, by s->mount, devices, filesystem and record_bytes. */
void sources_choose(struct sources *s);

/* Reads what has been counted since the system, mount or process started. */
void sources_read(const struct sources *s, struct moved_bytes *now);

struct moved_bytes moved_between(const struct moved_bytes *before, const struct moved_bytes *after);

/* Adds what was counted later, or by another rank. What several ranks of a host share (all but the
 * process) counts only if is_first. If the sources differ, the sum is unknown. */
void moved_add(struct moved_bytes *sum, const struct moved_bytes *part, bool is_first);
