// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdint.h>

#include "measure/histogram.h"
#include "util/err.h"

/* Where the workers of a phase count what they do: an entry for each worker, in memory that forked
 * processes share. Only its worker writes to an entry. Others may read it meanwhile, and see each
 * number as it was at some moment. Entries have no pointers, so those of several processes can be
 * added up. */
struct worker_stats {
    _Alignas(64) struct op_stats ops; /* aligned so that workers do not share cache lines */
    uint64_t plain_queues; /* number of queues whose buffers the kernel has not registered */
};

struct shared_stats {
    struct worker_stats *workers;
    unsigned room;
    unsigned used; /* number of entries, from the first one, that the current phase uses */
};

/* Opens statistics with room for `room` workers. */
int shared_stats_open(struct shared_stats *s, unsigned room, struct err *e);

void shared_stats_close(struct shared_stats *s);

/* Begins a phase with `used` workers: clears their entries, which also allocates their memory. */
void shared_stats_begin(struct shared_stats *s, unsigned used);

/* Adds up what all workers of the phase have counted. */
void shared_stats_sum(const struct shared_stats *s, struct op_stats *sum);

/* Adds up only their latencies. */
void shared_stats_latencies(const void *shared_stats, struct histogram *sum);

/* Number of queues whose buffers the kernel has not registered (io_queue_has_buffers()). */
uint64_t shared_stats_plain_queues(const struct shared_stats *s);
