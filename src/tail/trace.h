// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/device.h"
#include "sys/helper.h"
#include "util/printable.h"

/* The kernel's own events, from tracefs: what they say (struct tail_event), how records of any
 * version are decoded, and the trace instance of this run. */

/* What the kernel reports, reduced to what shows a cause. */
enum tail_kind {
    TAIL_INSERT,       /* a request entered the queue of a device */
    TAIL_ISSUE,        /* the queue handed a request to the device */
    TAIL_COMPLETE,     /* the device completed a request, or `sectors` of it */
    TAIL_FLUSH_BEGIN,  /* a device began to flush its own cache */
    TAIL_FLUSH_END,    /* a device ended a flush */
    TAIL_SLEEP,        /* a thread gave up its CPU because it has to wait */
    TAIL_PREEMPT,      /* a thread lost its CPU and wants it back */
    TAIL_RUN,          /* a thread got a CPU */
    TAIL_WAKE,         /* a thread no longer has to wait, and wants a CPU */
    TAIL_COMMIT_BEGIN, /* the filesystem's journal began a commit */
    TAIL_COMMIT_END,
    TAIL_LOG_WAIT,   /* a thread began to wait for the log; its operation may end first */
    TAIL_LOG_READY,  /* the log has room, and the thread no longer waits for it */
    TAIL_LOCK_BEGIN, /* a thread began to wait for the lock with the address `sector` */
    TAIL_LOCK_END,
    TAIL_RECLAIM_BEGIN, /* a thread has to free memory before it gets any */
    TAIL_RECLAIM_END,
    TAIL_DIRTY_PAUSE, /* the kernel makes a thread pause: too much data waits for writeback */
    TAIL_BIO,         /* a thread asked a device to transfer `sectors` */
    TAIL_ASK_COMMIT,  /* a thread woke the journal's thread `sector`, to make it commit */
    TAIL_CALL,        /* a thread made the system call `device`; `sectors` is its first argument or,
                         of an open, the flags, and `sector` the fourth, pwrite64's offset */
    TAIL_RETURN,      /* the system call `device` returned `sector` */
    TAIL_SUBMIT,      /* a thread gave io_uring the request `sector` with the opcode `device`; of a
                         registered file if `sectors` is odd */
    TAIL_FILE,        /* which is about the descriptor `device` */
    TAIL_DONE,        /* and has ended with the result `device` */
};

struct tail_event {
    uint64_t ns;      /* time of clock_ns() */
    uint64_t sector;  /* first sector of a request, of 512 bytes; the address of a lock; of a
                         TAIL_RUN, the thread that had the CPU before, 0 being none */
    uint32_t sectors; /* number of sectors of a request */
    uint32_t device;  /* the kernel's device number: major << 20 | minor */
    int32_t thread; /* the thread that it happened to; for a request, the thread that was running */
    uint8_t kind;   /* enum tail_kind */
    bool is_meta;   /* the request is for the filesystem's own data */
    bool writes;    /* the request writes */
};

/* The device number that events have. */
static inline uint32_t tail_device(unsigned major, unsigned minor)
{
    return major << 20 | minor;
}

/* Where a field of a kernel event is in its records, by the event's file `format` in tracefs. */
struct tail_field {
    unsigned offset;
    unsigned size; /* 0: the event has no such field */
};

/* Where the parts of a page of the kernel's trace buffer are, as trace_pipe_raw returns it:
 * header_page in tracefs, and Documentation/trace/ring-buffer-design.rst of the kernel. */
struct tail_page_layout {
    struct tail_field commit, data;
};

/* Reads `text`, the contents of header_page. Returns false when it has an unexpected form. */
bool tail_page_layout(struct tail_page_layout *layout, const char *text);

struct tail_page {
    const unsigned char *data;
    size_t bytes; /* number of valid bytes of data */
    size_t at;    /* position of the next record */
    uint64_t base_ns;
    uint64_t ns;       /* time of the record that tail_page_next() returned last */
    bool follows_loss; /* the kernel lost events before this page */
    uint64_t lost;     /* their number, or 1 if a full page had no room for it */
};

/* Begins to read a page of `bytes` bytes. Returns false when it is none; it has no records then. */
bool tail_page_begin(struct tail_page *page, const struct tail_page_layout *layout,
                     const unsigned char *memory, size_t bytes);

/* Returns the next record of the page and its size; NULL at the end. */
const unsigned char *tail_page_next(struct tail_page *page, size_t *bytes);

/* Number of the kernel's events that show causes, whose records become a struct tail_event. */
enum { TAIL_EVENTS = 25, TAIL_EVENT_FIELDS = 4 };

/* Path of an event in tracefs ("block/block_rq_issue"). */
const char *tail_event_path(unsigned index);

/* The formats of the records of the running kernel. */
struct tail_decoder {
    struct tail_format {
        bool is_known;
        unsigned id;
        struct tail_field fields[TAIL_EVENT_FIELDS];
    } formats[TAIL_EVENTS];
    struct tail_field id;     /* fields that all events have */
    struct tail_field thread; /* thread that was running */
};

/* Reads the event's file `format`. If a field is missing, returns false: so is the event. After all
 * events, forgets those of a purpose for which another one is missing. */
bool tail_decoder_learn(struct tail_decoder *d, unsigned index, const char *text);
void tail_decoder_finish(struct tail_decoder *d);

/* Whether that event is missing, though operations on that filesystem ("ext4") may cause it. */
bool tail_decoder_misses(const struct tail_decoder *d, unsigned index, const char *filesystem);

/* Turns a record into events, two if a CPU goes from one thread to another. Returns the number. */
unsigned tail_decode(const struct tail_decoder *d, const unsigned char *record, size_t bytes,
                     uint64_t ns, struct tail_event events[static 2]);

/* Which events an instance records. TAIL_OWN: all that show causes, of this program's threads and
 * the devices below its files. Other processes need two instances, because the kernel applies a
 * list of processes to all of one: TAIL_CALLS has what happens in the threads that
 * tail_trace_follow() names and in their children, with their system calls; TAIL_AROUND what
 * happens at devices and in journals, and who caused it. */
enum tail_set { TAIL_OWN = 1, TAIL_CALLS = 2, TAIL_AROUND = 4 };

/* A trace instance of the program's own. While a test runs, the kernel records events into it, of
 * which the newest overwrite the oldest. It is opened as root; a process that holds its descriptors
 * can use it afterwards. The remover, a confined process, removes it when the program ends, no
 * matter how: it sees the end of the socket. */
struct tail_trace {
    enum tail_set set; /* 0: it was never opened */
    bool is_open;
    struct label_text note; /* what cannot be seen, and why; empty: everything can be seen */
    int instances;          /* directory of all instances */
    char name[48];          /* of this one */
    bool sees_all;          /* this kernel has all events for the test that began last */
    int set_event, tracing_on, filters[TAIL_EVENTS]; /* files of it that are open */
    int set_event_pid;                               /* the same; -1 unless it is of TAIL_CALLS */
    int *pipes;                                      /* for each CPU; -1: there is no such CPU */
    unsigned cpus;
    unsigned char *pages; /* for each CPU, a part of the kernel's buffers */
    size_t page_bytes;
    struct tail_page_layout layout;
    struct tail_decoder decoder;
    struct helper remover;
};

/* Makes the instance. If that is impossible, t->note says why, which is not a failure. Closing
 * removes it, and waits until it is gone. It takes so many descriptors at most. */
int tail_trace_open(struct tail_trace *t, enum tail_set set, struct err *e);
void tail_trace_close(struct tail_trace *t);
unsigned tail_trace_descriptors(void);

/* The threads and devices whose events are recorded. */
struct tail_watch {
    int first_thread, last_thread;    /* lowest and highest thread ID */
    const struct device_set *devices; /* NULL: all */
    const char *filesystem;           /* its type, "ext4"; empty: unknown */
    const char *calls; /* which system calls, as a filter of the kernel ("id == 0") */
};

/* Changes what is recorded; or adds the events of more threads ("7 8 ") and those that they make:
 * one call for all takes the kernel as long as one for each. Whether the kernel accepts it. */
bool tail_trace_watch(const struct tail_trace *t, const struct tail_watch *w);
bool tail_trace_follow(const struct tail_trace *t, const char *threads);

/* Begins to record: earlier records are lost. Returns 0 or a negative errno. After the end of the
 * recording, the instance costs no time. */
int tail_trace_begin(struct tail_trace *t, const struct tail_watch *w);
void tail_trace_end(struct tail_trace *t);

/* Reads a CPU's next page, in the place of the one before. Returns false when there is none yet. */
bool tail_trace_read(const struct tail_trace *t, unsigned cpu, struct tail_page *page);

/* --cleanup: removes the instances that killed runs have left, with a line for each. */
void tail_trace_cleanup(void);
