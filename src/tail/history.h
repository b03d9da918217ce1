// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tail/summary.h"

/* The newest events, in memory of a fixed size, in which they overwrite the oldest. Those of one
 * CPU arrive in the order of time. Flushes and commits, which are rare and needed for longer, have
 * a lane of their own. */
struct tail_lane {
    struct tail_event *events;
    size_t room;    /* a power of two */
    uint64_t count; /* number of events ever added */
};

/* A stretch of time in which the kernel lost events. */
struct tail_gap {
    uint64_t from_ns;
    uint64_t to_ns;
};

#define TAIL_GAPS 256

struct tail_history {
    void *memory;
    struct tail_lane *lanes; /* one for each CPU of each trace instance */
    unsigned cpus;
    struct tail_lane rare;
    struct tail_gap gaps[TAIL_GAPS];
    uint64_t gap_count;
    uint64_t blind_ns;         /* the end of the latest gap */
    uint64_t seen_events;      /* number of records that are events */
    uint64_t lost_events;      /* number of those that the kernel has lost */
    struct tail_event *chosen; /* room for twice TAIL_CHOSEN events */
};

/* Most events of one operation that are looked at. */
#define TAIL_CHOSEN 16384

/* Returns 0 or a negative errno. */
int tail_history_open(struct tail_history *h, unsigned cpus);
void tail_history_close(struct tail_history *h);

void tail_history_add(struct tail_history *h, unsigned cpu, const struct tail_event *e);

/* Notes that the kernel lost events of this CPU, between the last added event and to_ns. */
void tail_history_lost(struct tail_history *h, unsigned cpu, uint64_t to_ns);

/* Reads what a trace has recorded, whose first CPU has the lane first_lane. take() gets each event,
 * and ends the reading with false; without it, all go into the history. Returns false if take()
 * did. Uses neither malloc nor stdio. */
bool tail_history_read(struct tail_history *h, const struct tail_trace *t, unsigned first_lane,
                       bool (*take)(void *context, unsigned lane, struct tail_event *e),
                       void *context);

/* Whether an event has the number of one of these devices. */
bool tail_event_is_on(const struct tail_event *e, const struct device_set *devices);

/* How many bytes the devices of an operation were asked for in its time (TAIL_BIO), and the share
 * of each thread. */
uint64_t tail_history_bytes(const struct tail_history *h, const struct tail_op *op,
                            struct tail_share shares[], unsigned room);

/* Finds the events of an operation, and flushes and commits from before it, in the order of time.
 * They are valid until the next call. Returns false when some are lost, or too many. */
bool tail_history_find(struct tail_history *h, const struct tail_op *op,
                       const struct tail_event **events, size_t *count);

/* Finds out why an operation took its time: sets r->spans, r->cause and r->is_lost. */
void tail_history_explain(struct tail_history *h, const struct tail_op *op, struct tail_record *r);
