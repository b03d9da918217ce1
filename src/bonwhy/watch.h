// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bonwhy/people.h"
#include "bonwhy/target.h"
#include "measure/device.h"
#include "measure/histogram.h"
#include "tail/history.h"
#include "tail/summary.h"
#include "tail/trace.h"
#include "util/err.h"

/*
 * Watches a program through two trace instances (trace.h), and keeps what the report needs: every
 * call that asks something of storage, with its time; the slowest of each kind with their causes;
 * the files; and the storages that the files are on, with all that use them.
 */

/* What a call asks of storage. */
enum call_type {
    CALL_TRANSFER, /* moves bytes from or to the file that it names; counts only for files */
    CALL_SYNC,     /* waits for storage */
    CALL_CREATE,   /* an open; counts only if it may create a file */
    CALL_CHANGE,   /* of a name or a size */
    CALL_FORGET,   /* not counted: its descriptor may be another file from now on */
};

/* A kind of calls; the number of kinds, and what is fixed of each. */
extern const unsigned call_kinds;
#define CALL_KINDS_MOST 48

struct call_kind {
    const char *name;
    uint32_t number; /* of the system call */
    enum call_type type;
    bool has_file; /* its first argument is a descriptor */
};

const struct call_kind *call_kind(unsigned index);

struct call_stats {
    struct histogram latencies;
    uint64_t bytes;
    uint64_t slow_ns; /* those that take as long are examined */
    struct tail_heap slowest;
};

#define STORAGE_USERS 64

/* Where files are. */
struct storage {
    unsigned major;
    unsigned minor;
    uint32_t disk; /* its device or, if that is a partition, the disk, as in struct tail_event */
    struct device_set devices;
    struct device_counters before; /* counters when it was first seen */
    uint64_t since_ns;
    uint64_t flushes;
    uint64_t written; /* bytes */
    struct storage_user {
        int process; /* 0: an empty place */
        uint64_t written;
    } users[STORAGE_USERS];
};

#define STORAGES_MOST 16

struct file {
    char path[PATH_MAX];
    unsigned storage; /* its index */
    uint64_t calls;
    uint64_t waited_ns;
};

#define FILES_MOST 1024

/* Devices whose disks are remembered. */
#define WHOLES 256

struct watch {
    struct tail_trace calls;
    struct tail_trace around;
    struct tail_history history;
    struct people people;
    struct call_stats *stats; /* one for each kind */
    struct storage *storages;
    unsigned storage_count;
    struct file *files;
    unsigned file_count;
    struct descriptor_entry *descriptors; /* which descriptor is which file */
    struct whole {
        uint32_t device;
        uint32_t whole;
    } wholes[WHOLES];
    struct tail_event *pending; /* calls and returns that are not processed yet */
    size_t pending_count;
    size_t pending_room;
    unsigned char *page;
    uint64_t start_ns;
    uint64_t counted; /* calls */
    uint64_t unknown; /* transfers of descriptors that were closed before they were looked at */
    uint64_t seen_events;
    uint64_t lost_events;
    bool is_limited;
    bool is_new; /* there is a new storage, whose devices are to be watched */
};

/*
 * Begins to watch. The caller calls watch_read() every few milliseconds, and watch_close() in the
 * end. Fails with one line where the kernel's events cannot be seen.
 */
int watch_open(struct watch *w, struct err *e);
int watch_begin(struct watch *w, const struct target *t, struct err *e);
int watch_read(struct watch *w, struct err *e);

/* Follows what has become part of the target. */
void watch_follow(struct watch *w, const struct target *t);

/* Stops recording, and takes in the rest. */
int watch_end(struct watch *w, struct err *e);
void watch_close(struct watch *w);

/* The kind whose calls took most time; -1: there was no call. */
int watch_slowest_kind(const struct watch *w);
