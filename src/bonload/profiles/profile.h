#ifndef BONLOAD_PROFILES_PROFILE_H
#define BONLOAD_PROFILES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * A profile describes what a program does with its storage: its files, the system calls of a
 * request, and its background work. It is a table, and the target `profile` (targets/profile/) does
 * what the table says. Times are in nanoseconds, sizes in bytes.
 */

enum profile_file_kind {
    PROFILE_NO_FILE,
    PROFILE_LOG,     /* requests append to it, one segment after another */
    PROFILE_PAGES,   /* pages that are read and written at random offsets */
    PROFILE_MAILBOX, /* a file for each request, in the directories tmp and new */
};

/* The state of a log's segment before the program appends to it. */
enum profile_segment {
    SEGMENT_PREALLOCATED, /* its room was reserved with fallocate() */
    SEGMENT_RECYCLED,     /* it has data of an earlier round */
    SEGMENT_GROWS,        /* it is empty */
};

struct profile_file {
    const char *name;
    enum profile_file_kind kind;
    uint64_t bytes; /* size of a segment, of all pages, or of a message */
    uint64_t unit;  /* writes to a log are multiples of this; size of a page */
    enum profile_segment segment;
    unsigned count; /* number of a log's segments, or of messages that a mailbox keeps */
    bool is_direct; /* opened with O_DIRECT if the filesystem supports it */
};

enum profile_act {
    ACT_NONE,
    ACT_READ,      /* reads `count` pages at random offsets */
    ACT_WRITE,     /* writes `count` pages at random offsets */
    ACT_WRITE_OUT, /* the same, and has the kernel start writeback of each (sync_file_range) */
    ACT_WRITE_RUN, /* writes `count` consecutive pages with one call */
    ACT_APPEND,    /* appends a record of `bytes` to a log, with others that have arrived */
    ACT_COMMIT,    /* the same, and waits until it is synced: group commit */
    ACT_SYNC,      /* fdatasync */
    ACT_SYNC_ALL,  /* fsync */
    ACT_DELIVER, /* creates a message in tmp, writes and syncs it, renames it to new, syncs that */
    ACT_EXPIRE,  /* unlinks the oldest messages beyond those to keep */
};

struct profile_step {
    enum profile_act act;
    unsigned file;  /* index in profile.files */
    unsigned count; /* of pages */
    uint64_t bytes; /* of a record */
};

#define PROFILE_FILES  4
#define PROFILE_STEPS  6
#define PROFILE_WORKS  3
#define PROFILE_LIMITS 3
#define PROFILE_LOADS  2

/* Background work, beside the requests, at its own pace. */
struct profile_work {
    const char *name;
    /* interval at which it begins; it begins late if it has not ended by then */
    uint64_t period_ns;
    struct profile_step steps[PROFILE_STEPS];
};

/* The subject of a limit: the syncs that requests wait for, or else the index of a work. */
#define LIMIT_ON_SYNC UINT32_MAX

struct profile_limit {
    uint32_t on;
    const char *name; /* "fdatasync" */
    double percent;   /* percentile; 100: the maximum */
    uint64_t nanoseconds;
};

struct profile {
    const char *name;
    const char *program; /* with the version that was traced */
    const char *source;  /* source of the limits; NULL: none is published */
    const char *request; /* what a request is, in the plural: "writes" */
    const char *sync;    /* the call that requests wait for */
    struct profile_file files[PROFILE_FILES];
    struct profile_step steps[PROFILE_STEPS]; /* steps of a request */
    struct profile_work works[PROFILE_WORKS];
    unsigned loads[PROFILE_LOADS]; /* requests per second at which the limits are judged */
    unsigned clients;              /* without loads: number of concurrent requests */
    struct profile_limit limits[PROFILE_LIMITS];
};

/* All profiles, with a NULL at the end. */
extern const struct profile *const profile_table[];

/* The number of them. */
size_t profiles_count(void);

/* The profile of that name, or NULL. */
const struct profile *profile_by_name(const char *name);

/* The largest number of bytes that its files need. */
uint64_t profile_bytes(const struct profile *p);

/*
 * The limit by which a higher load is sought: the first on a percentile of the syncs that requests
 * wait for, or NULL.
 */
const struct profile_limit *profile_sought_limit(const struct profile *p);

#endif
