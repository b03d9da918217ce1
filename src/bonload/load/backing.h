#ifndef BONLOAD_LOAD_BACKING_H
#define BONLOAD_LOAD_BACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/run.h"
#include "measure/bottleneck.h"
#include "measure/device.h"
#include "measure/mount_info.h"

/*
 * The devices below the files that a run reads and writes, and their activity during it, which
 * shows whether bytes came from them or from the page cache. They are the devices of the first
 * name's directory.
 */
struct backing {
    bool is_watched; /* false: the target has no files, or several ranks share the devices */
    struct mount_info mount;
    struct device_set devices;
    struct device_counters before; /* at the start of the measurement */
    uint64_t begin_ns;
};

/* The results. Owns nothing. */
struct backing_use {
    bool is_watched;
    const char *filesystem; /* type of the filesystem; NULL: not known */
    const char *options;    /* mount options; NULL: not known */
    const char *device;     /* name of the devices; NULL: there are none */
    struct device_use use;
    struct judgement kinds[LOAD_KINDS]; /* about the bytes that each kind moved */
    bool has_moved[LOAD_KINDS];         /* if it moved any */
};

/* Finds the devices; finding none is not a failure. */
void backing_open(struct backing *b, const struct run *run);

/* Begins to count the activity of the devices. */
void backing_begin(struct backing *b, uint64_t now_ns);

/*
 * The activity of the devices until now, while requests moved that many bytes. *use is valid as
 * long as b.
 */
void backing_use(const struct backing *b, uint64_t now_ns, const uint64_t bytes[LOAD_KINDS],
                 struct backing_use *use);

/* What was measured: "device", "page cache", "memory" or "unknown"; NULL: no bytes were moved. */
const char *backing_measured(const struct backing_use *use, enum load_kind kind);

#endif
