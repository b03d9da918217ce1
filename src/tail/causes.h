#ifndef TAIL_CAUSES_H
#define TAIL_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tail/event.h"

/*
 * Why an operation was slow: its time is cut into spans that do not overlap, each of which has one
 * cause, by the events that happened meanwhile. All functions here are pure.
 */

/* In the order in which they are looked for: the first one that holds has the span. */
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

/* The operation that is to be explained. */
struct tail_op {
    uint64_t start_ns;
    uint64_t end_ns;
    int thread;
    bool is_queued;  /* its thread does other things while it is in flight */
    bool is_limited; /* a control group limits operations of its kind */
};

/* How long each cause lasted, in nanoseconds; the sum is the operation's time. */
struct tail_spans {
    uint64_t ns[CAUSE_COUNT];
};

/*
 * Cuts the operation's time. The events are in the order of time, those about requests and threads
 * are the operation's own, and some may lie before its start: what began there and had not ended
 * counts.
 */
void tail_cut(struct tail_spans *spans, const struct tail_op *op, const struct tail_event events[],
              size_t count);

/* The cause with the longest span. */
enum tail_cause tail_largest(const struct tail_spans *spans);

/* The cause's name in JSON ("device"), and what it did, after a percentage, in words. */
const char *tail_cause_name(enum tail_cause cause);
const char *tail_cause_words(enum tail_cause cause);

#endif
