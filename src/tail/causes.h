// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "tail/trace.h"

/* Explains why an operation was slow. Its time is cut into spans that do not overlap, and the
 * events of that time give each span one cause. All functions here are pure. */

/* Whether an event has the number of one of these devices. */
bool tail_event_is_on(const struct tail_event *e, const struct device_set *devices);

/* A span gets the first of these causes that applies, in this order. */
enum tail_cause {
    CAUSE_RECLAIM,
    CAUSE_CPU,
    CAUSE_LOCK,
    CAUSE_WRITEBACK,
    CAUSE_JOURNAL,
    CAUSE_GROUP,
    CAUSE_FLUSH,
    CAUSE_DEVICE,
    CAUSE_QUEUE,
    CAUSE_PROGRAM,
    CAUSE_UNKNOWN,
    CAUSE_COUNT
};

/* The operation to explain, and how its events are recognised. */
struct tail_op {
    uint64_t start_ns, end_ns;
    uint64_t before_ns; /* it may wait for what its thread requested up to this long before */
    int thread;         /* whose requests belong to it, unless it is queued; -1: one that sleeps */
    bool is_queued;     /* its thread does other things while it is in flight */
    bool is_sent;       /* queued, and its requests are those that its thread has made since */
    bool sees_all;      /* this kernel has all events that show a cause */
    bool is_limited;    /* a control group limits operations of its kind */
    uint32_t device;    /* where its data is, if `sectors` is not 0 */
    uint64_t sector, sectors;
    const struct device_set *devices; /* flushes and commits of others do not count; NULL: all do */
};

/* A write into the page cache may wait for a request that its thread made so long before. */
#define TAIL_BUFFERED_NS UINT64_C(1000000000)

#define TAIL_BLAMED 8 /* most threads that are named as those that an operation waited for */

/* Whose share of a time, or of bytes, this is. */
struct tail_share {
    int32_t thread; /* 0: this entry and those after it are empty */
    uint64_t amount;
};

/* Adds to the share of a thread. The largest is the first; without room the least is forgotten. */
void tail_share_add(struct tail_share shares[], unsigned room, int32_t thread, uint64_t amount);

/* How long each cause lasted, in ns; the sum is the duration of the operation. And how long it
 * waited because of a thread that had the CPU, or made the journal commit (TAIL_ASK_COMMIT). */
struct tail_spans {
    uint64_t ns[CAUSE_COUNT];
    struct tail_share blamed[TAIL_BLAMED];
};

/* Cuts the time of an operation into spans. next() returns the events in the order of time, NULL
 * after the last one; those that have nothing to do with the operation are passed over. What events
 * from before its start began may not have ended. */
void tail_cut(struct tail_spans *spans, const struct tail_op *op,
              const struct tail_event *(*next)(void *context), void *context);

enum tail_cause tail_largest(const struct tail_spans *spans);

/* A cause's name in JSON ("device"), and the words after a number ("waited for a CPU"), which
 * tail_cause_words() gives without "waited" if those of the cause told before have it. */
extern const struct tail_cause_words {
    const char *name;
    const char *words;
} tail_causes[CAUSE_COUNT];
const char *tail_cause_words(enum tail_cause cause, enum tail_cause before);
