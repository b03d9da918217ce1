// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "bonnie/plan.h"
#include "io/io_queue.h"
#include "measure/histogram.h"
#include "verify/contents.h"

/* Number of seeks of which one rewrites its chunk. */
#define REWRITE_EVERY 10

/*
 * One seeker's part of the seek test. Seekers draw tickets from one counter. The ticket and the
 * seed decide where to seek, so the offsets of a run do not depend on which seeker is faster. Every
 * tenth ticket rewrites its chunk.
 */
struct seeks {
    const struct plan *plan;
    struct contents *contents;
    uint64_t seed;                     /* seed of the current run */
    atomic_uint_fast64_t *next_ticket; /* shared by all seekers */
    uint64_t end_ticket;               /* first ticket that is not for these seekers */
    uint64_t duration_ns;              /* time after which the seekers end, too; 0: no limit */
    struct corruption *corruption;     /* where this seeker records corruption */
};

/*
 * Seeks until there are no more tickets, or the time is over. The queue must have all data files.
 */
int seeks_run(const struct seeks *s, struct io_queue *q, struct op_stats *stats, struct err *e);
