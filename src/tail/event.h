#ifndef TAIL_EVENT_H
#define TAIL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* What the kernel told, as far as a cause can be seen in it. */
enum tail_kind {
    TAIL_INSERT,       /* a request entered the queue of a device */
    TAIL_ISSUE,        /* it was handed to the device */
    TAIL_COMPLETE,     /* the device has done it, or `sectors` of it */
    TAIL_FLUSH_BEGIN,  /* a device was told to empty its own cache */
    TAIL_FLUSH_END,    /* and has done it */
    TAIL_SLEEP,        /* a thread gave up its CPU to wait for something */
    TAIL_PREEMPT,      /* it lost its CPU and wants it back */
    TAIL_RUN,          /* it got a CPU */
    TAIL_WAKE,         /* it need not wait any more, and wants a CPU */
    TAIL_COMMIT_BEGIN, /* a commit of the filesystem's journal */
    TAIL_COMMIT_END,
    TAIL_LOG_WAIT,   /* a thread waits for the filesystem's log, until its operation ends */
    TAIL_LOG_READY,  /* or until there is room in the log */
    TAIL_LOCK_BEGIN, /* a thread waits for the lock `sector`, which threads sleep for */
    TAIL_LOCK_END,
    TAIL_RECLAIM_BEGIN, /* it frees memory before it gets any */
    TAIL_RECLAIM_END,
    TAIL_DIRTY_PAUSE, /* it is made to pause, because too much is not written back */
};

struct tail_event {
    uint64_t ns;      /* on the clock of clock_ns() */
    uint64_t sector;  /* of 512 bytes, of a request; of a lock its address */
    uint32_t sectors; /* of a request */
    uint32_t device;  /* as the kernel numbers it: major << 20 | minor */
    int32_t thread;   /* which it happened to; of a request the one that was running */
    uint8_t kind;     /* enum tail_kind */
    bool is_meta;     /* a request for the filesystem's own data */
};

/* The number of a device in events. */
static inline uint32_t tail_device(unsigned major, unsigned minor)
{
    return major << 20 | minor;
}

#endif
