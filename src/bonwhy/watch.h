// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonwhy/target.h"
#include "measure/facts.h"
#include "tail/history.h"

/* Watches a program through two trace instances (trace.h), and keeps what the report needs: every
 * call that asks something of storage, with its time; the slowest of each kind with their causes;
 * the files; and the storages that the files are on, with all that use them. */

#define MAX_CALL_KINDS  48
#define MAX_NOTES       2000000 /* more calls are not noted */
#define MAX_STORAGES    16
#define MAX_FILES       1024
#define MAX_DESCRIPTORS (1U << 16)
#define PEOPLE_PLACES   (1U << 16)
#define REQUEST_BITS    14
#define WRITERS         64
#define PERSON_NAME     16 /* TASK_COMM_LEN of the kernel */
#define FILTER_TEXT     1024

/* What a call asks of storage. */
enum call_type {
    CALL_TRANSFER, /* moves bytes from or to the file that it names; counts only for files */
    CALL_SYNC,     /* waits for storage */
    CALL_CREATE,   /* an open; counts only if it may create a file */
    CALL_CHANGE,   /* of a name or a size */
    CALL_FORGET,   /* not counted: its descriptor may be another file from now on */
};

/* What a profile makes of a call. */
enum note_act {
    NOTE_NONE,
    NOTE_CREATE,
    NOTE_PUT,
    NOTE_SYNC,     /* fdatasync */
    NOTE_SYNC_ALL, /* fsync */
    NOTE_RENAME,
    NOTE_REMOVE,
};

extern const struct call_kind {
    const char *name;
    uint32_t number; /* of the system call, or RING_CALL and an opcode of io_uring */
    enum call_type type;
    bool has_file; /* its first argument is a descriptor */
    enum note_act note;
} call_kinds[MAX_CALL_KINDS + 1]; /* the last one has no name */

/* A call that changed something, for a profile. */
struct note {
    uint64_t at;    /* offset of a write; NOTE_NEXT: where the last one ended */
    uint32_t bytes; /* that were written */
    int16_t file;   /* index of the file, or one of FILE_... */
    uint8_t act;    /* enum note_act */
};

#define NOTE_NEXT UINT64_MAX

struct call_stats {
    struct histogram latencies;
    uint64_t bytes;
    uint64_t slow_ns; /* those that take as long are examined */
    struct tail_slowest slowest;
};

/* A thread that events name; looked up in /proc when first asked about, its name outlives it. */
struct person {
    int thread;             /* 0: an empty place */
    int process;            /* its process; the thread itself if that was gone already */
    char name[PERSON_NAME]; /* of the process; empty: it was gone */
    bool is_kernel;         /* a thread of the kernel, or one that was ending */
    bool is_followed;       /* of the program that is watched */
    bool syncs;             /* it is inside a call that syncs */
    bool is_unnamed;        /* its calls, or this request, do not name their file */
    uint32_t call;          /* number of the call that it is inside, if start_ns is not 0 */
    uint32_t argument;      /* of that call: a descriptor, or the flags of an open */
    uint64_t at;            /* offset of pwrite64; what identifies a request */
    uint64_t start_ns;
};

/* Where files are. */
struct storage {
    dev_t number; /* of the filesystem */
    struct device_set devices;
    uint64_t since_ns;             /* when it became known; 0: not taken in yet */
    struct device_counters before; /* its counters then */
    bool is_limited;               /* a control group limits what the target may ask of it */
    uint64_t flushes;
    uint64_t written;                   /* bytes */
    struct tail_share writers[WRITERS]; /* of these bytes: each process */
};

struct file {
    char path[PATH_MAX];
    unsigned storage; /* its index */
    bool is_directory;
    bool is_reserved; /* its room was, by fallocate() */
    bool is_brief;    /* when last closed, open for less than half of the time since created_ns */
    uint64_t bytes;   /* its size when it was first seen */
    uint64_t calls, waited_ns;
};

/* What has no number of a system call: requests of io_uring, and transfers that io_submit made. */
#define AIO_CALL  0x10000U
#define RING_CALL 0x20000U

/* FILE_CREATED: it was created, and closed before it was looked at. */
enum { FILE_NOT_LOOKED_AT = -1, FILE_NONE = -2, FILE_CREATED = -3 };

struct watch {
    struct tail_trace calls, around;
    struct tail_history history;
    struct person people[PEOPLE_PLACES]; /* a table by hash, of which a quarter stays empty */
    unsigned people_count;
    struct person requests[1U << REQUEST_BITS]; /* in flight, each as a thread in a call; by hash */
    bool uses_aio;                              /* so requests to devices are calls, too */
    struct call_stats stats[MAX_CALL_KINDS];
    struct storage storages[MAX_STORAGES];
    unsigned storage_count;
    struct device_set devices; /* of all storages, each once */
    bool sees_all_devices;     /* of the machine, because a command may use any of them */
    struct facts facts;        /* what stood in their way at the end */
    struct file files[MAX_FILES];
    unsigned file_count;
    struct descriptor_entry {
        int process, fd;
        int file;                   /* index of the file, or one of FILE_... */
        uint64_t created_ns;        /* when it was opened to create it; 0: it was not */
    } descriptors[MAX_DESCRIPTORS]; /* one takes the place of another, which is looked at again */
    uint64_t slowest;   /* as in struct tail_summary; the caller sets both before watch_open() */
    bool takes_notes;   /* for a profile */
    struct note *notes; /* in the order of time */
    size_t note_count;
    char syncs[FILTER_TEXT]; /* filter for the calls that sync, and io_submit */
    uint64_t start_ns;
    uint64_t created_ns; /* when the target first opened a file with O_CREAT; 0: not yet */
    uint64_t counted;    /* calls */
    uint64_t unknown;    /* transfers of descriptors that were closed before they were looked at */
    int process;         /* one of the target's */
    char new_threads[2048]; /* which are not followed yet */
    bool is_new;            /* there is a new storage, whose devices are to be watched */
};

/* Begins to watch; w is zero before. The caller calls watch_read() every few milliseconds,
 * watch_follow() now and then, for what has become part of the target, watch_end() to stop
 * recording and take in the rest, and watch_close() in any case. Fails where no events are seen. */
int watch_open(struct watch *w, const struct target *t, struct err *e);
void watch_read(struct watch *w);
void watch_follow(struct watch *w, const struct target *t);
void watch_end(struct watch *w);
void watch_close(struct watch *w);

/* A thread; NULL: there are too many. */
struct person *watch_person(struct watch *w, int thread);

/* Writes the noted calls as a profile for bonload -good-for; refuses those that do not repeat. */
int profile_write(FILE *out, const struct watch *w, const char *target, uint64_t elapsed_ns,
                  struct err *e);
