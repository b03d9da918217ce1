// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "tail/summary.h"

/* The newest events in the order of time, in a fixed room in which they overwrite the oldest. */
struct tail_ring {
    struct tail_event *events;
    size_t room;    /* a power of two */
    uint64_t count; /* number of events ever added */
};

#define TAIL_GAPS 256

/* What a CPU has recorded: the event to take next, and the rest of the page that it is on. */
struct tail_source {
    const struct tail_trace *trace;
    unsigned cpu;
    struct tail_page page;
    struct tail_event events[2]; /* of the page's latest record */
    unsigned count, taken;       /* their number; of these */
    uint64_t last_ns;            /* time of that record */
};

/* The events of all CPUs and traces. */
struct tail_history {
    struct tail_source *sources; /* each CPU of each trace instance */
    uint64_t *next_ns;           /* of each of these, the time of the next event */
    unsigned source_count;
    struct tail_ring all;  /* but for the rare ones */
    struct tail_ring rare; /* flushes and commits, which are needed for longer */
    struct tail_gap {
        uint64_t from_ns, to_ns;
    } gaps[TAIL_GAPS]; /* stretches of time in which the kernel lost events */
    uint64_t gap_count;
    uint64_t seen_events; /* number of records that are events */
    uint64_t lost_events; /* number of those that the kernel has lost */
};

/* Makes an empty history for what some traces record. Returns 0 or a negative errno. */
int tail_history_open(struct tail_history *h, const struct tail_trace *const traces[],
                      unsigned count);
void tail_history_close(struct tail_history *h);

/* Adds an event, not older than the one before; or that the kernel lost events of this time. */
void tail_history_add(struct tail_history *h, const struct tail_event *e);
void tail_history_lost(struct tail_history *h, uint64_t from_ns, uint64_t to_ns);

/* Reads what the traces have recorded up to now. take() gets each event, in the order of time, and
 * the trace that it is from; without it, all go into the history. Uses neither malloc nor stdio. */
void tail_history_read(struct tail_history *h,
                       void (*take)(void *context, const struct tail_trace *from,
                                    struct tail_event *e),
                       void *context);

/* Bytes that an operation's devices were asked for in its time (TAIL_BIO); by thread in shares. */
uint64_t tail_history_bytes(const struct tail_history *h, const struct tail_op *op,
                            struct tail_share shares[], unsigned room);

/* Finds out why an operation took its time: sets r->spans, r->cause and r->is_lost. */
void tail_history_explain(const struct tail_history *h, const struct tail_op *op,
                          struct tail_record *r);
