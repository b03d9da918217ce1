// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "util/err.h"

/* A profile describes what a program does with its storage, in files, requests, and beside them.
 * The target `profile` (targets/profile/) does it. Times are in nanoseconds, sizes in bytes. */

enum profile_file_kind {
    PROFILE_NO_FILE,
    PROFILE_LOG,     /* requests append to it, segment after segment */
    PROFILE_PAGES,   /* requests read and write its pages at random offsets */
    PROFILE_MAILBOX, /* has a file for each request, in the directories tmp and new */
    PROFILE_FILE,    /* one request at a time writes it where a step says */
};

/* The state of a log's segment before the program appends to it. */
enum profile_segment {
    SEGMENT_PREALLOCATED, /* fallocate() has reserved its room */
    SEGMENT_RECYCLED,     /* it still has the data of an earlier cycle */
    SEGMENT_GROWS,        /* it is empty */
};

struct profile_file {
    const char *name;
    enum profile_file_kind kind;
    uint64_t bytes; /* size of a segment, of all pages together, or of a message */
    uint64_t unit;  /* for a log, writes are multiples of this; for pages, the size of a page */
    enum profile_segment segment;
    unsigned count;      /* a log's segments, or messages that a mailbox keeps */
    bool is_direct;      /* is opened with O_DIRECT if the filesystem supports that */
    uint64_t put_off_ns; /* how long, at most, appends wait in memory while the log is synced */
};

enum profile_act {
    ACT_NONE,
    ACT_READ,      /* reads `count` pages at random offsets */
    ACT_WRITE,     /* writes `count` pages at random offsets */
    ACT_WRITE_OUT, /* does the same, and starts writeback of each page (sync_file_range) */
    ACT_WRITE_RUN, /* writes `count` consecutive pages with one call */
    ACT_APPEND,   /* appends a record of `bytes` to a log, together with others that have arrived */
    ACT_COMMIT,   /* does the same, and waits for its sync: group commit */
    ACT_SYNC,     /* fdatasync */
    ACT_SYNC_ALL, /* fsync */
    ACT_DELIVER,  /* creates a message in tmp, writes and syncs it, renames it to new, syncs new */
    ACT_EXPIRE,   /* unlinks the oldest messages, except those that the mailbox keeps */
    ACT_CREATE,   /* creates a file, which is not there before, or is emptied */
    ACT_PUT,      /* writes `bytes` at offset `at` of a file, or after what was written last */
    ACT_REMOVE,   /* closes a file, and unlinks it */
    ACT_RENAME,   /* renames a file to the name of another one, which it replaces */
    ACT_SYNC_DIRECTORY, /* opens the directory of the files, calls fdatasync, and closes it */
};

struct profile_step {
    enum profile_act act;
    unsigned file;  /* index in profile.files */
    unsigned count; /* number of pages; of ACT_RENAME, index of the file with the new name */
    uint64_t bytes; /* size of a record, or of what is written */
    uint64_t at;    /* offset of ACT_PUT, or AT_NEXT */
};

/* After the last ACT_PUT; at the start where the size does not suffice. */
#define AT_NEXT UINT64_MAX

#define PROFILE_FILES  4
#define PROFILE_STEPS  32
#define PROFILE_WORKS  3
#define PROFILE_LIMITS 3
#define PROFILE_LOADS  2

/* Work beside the requests, at its own pace, or within one request of so many. */
struct profile_work {
    const char *name;
    uint64_t period_ns; /* from start to start; late if the previous work has not ended */
    unsigned every;     /* 0, or the last of so many requests does the work at its end */
    struct profile_step steps[PROFILE_STEPS];
};

#define LIMIT_ON_SYNC UINT32_MAX /* the syncs that requests wait for */

struct profile_limit {
    uint32_t on;      /* or the index of a work */
    const char *name; /* "fdatasync" */
    double percent;   /* percentile; 100 means the maximum */
    uint64_t nanoseconds;
};

struct profile {
    const char *name;
    const char *programs; /* other words for it, separated by commas; NULL: there are none */
    const char *program;  /* the program, with the version that was traced */
    const char *source;   /* who has published the limits; NULL: nobody has */
    const char *request;  /* what a request is, in the plural: "writes" */
    const char *sync;     /* name of the call that requests wait for */
    struct profile_file files[PROFILE_FILES];
    struct profile_step steps[PROFILE_STEPS]; /* what a request does */
    struct profile_work works[PROFILE_WORKS];
    unsigned loads[PROFILE_LOADS]; /* requests per second to judge; 0 ends the list */
    unsigned clients;              /* if there are no loads: number of concurrent requests */
    struct profile_limit limits[PROFILE_LIMITS];
};

/* All profiles; their names and "all". Both end with a NULL. */
extern const struct profile *const profile_table[];
extern const char *const profile_words[];

/* The profile of that name, or NULL. */
const struct profile *profile_by_name(const char *name);

/* Number of bytes that the profile's files can take at most. */
uint64_t profile_bytes(const struct profile *p);

/* The limit of a search: the first on a percentile of the syncs that requests wait for, or NULL. */
const struct profile_limit *profile_sought_limit(const struct profile *p);

/* Parses a user's own profile, as bonload(1) describes it. Changes the text, which must outlive the
 * profile. The line in e has the number of a wrong line, and what is accepted there. */
int profile_parse(struct profile *p, char *text, struct err *e);

/* Reads a profile from a file. The caller frees *text when it no longer uses the profile. */
int profile_read(struct profile *p, const char *path, char **text, struct err *e);
