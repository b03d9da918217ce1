#ifndef TAIL_EVENT_H
#define TAIL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

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
};

struct tail_event {
    uint64_t ns;      /* time of clock_ns() */
    uint64_t sector;  /* first sector of a request, of 512 bytes; or the address of a lock */
    uint32_t sectors; /* number of sectors of a request */
    uint32_t device;  /* the kernel's device number: major << 20 | minor */
    int32_t thread; /* the thread that it happened to; for a request, the thread that was running */
    uint8_t kind;   /* enum tail_kind */
    bool is_meta;   /* the request is for the filesystem's own data */
};

/* The device number that events have. */
static inline uint32_t tail_device(unsigned major, unsigned minor)
{
    return major << 20 | minor;
}

#endif
