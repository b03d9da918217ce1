#ifndef LIVE_SHARED_STATS_H
#define LIVE_SHARED_STATS_H

#include <stdint.h>

#include "measure/op_stats.h"
#include "util/err.h"

/*
 * Where the workers of a phase count what they do: one entry for each worker, in memory that forked
 * processes share. Only the worker writes to its entry; others may read it meanwhile, and see each
 * number as it was at some moment. The entries hold no pointers, so the statistics of several
 * processes can be added up.
 */
struct worker_stats {
    _Alignas(64) struct op_stats ops; /* aligned so that workers do not share cache lines */
    uint64_t plain_queues; /* number of queues whose buffers are not registered with the kernel */
};

struct shared_stats {
    struct worker_stats *workers;
    unsigned room;
    unsigned used; /* number of entries, from the first on, that the current phase uses */
};

/* Opens statistics with room for that many workers. Returns 0 or a negative errno. */
int shared_stats_open(struct shared_stats *s, unsigned room, struct err *e);

void shared_stats_close(struct shared_stats *s);

/*
 * Begins a phase with `used` workers: clears their entries, and thereby has their memory allocated.
 */
void shared_stats_begin(struct shared_stats *s, unsigned used);

/* Adds up what all workers of the phase have counted. */
void shared_stats_sum(const struct shared_stats *s, struct op_stats *sum);

/* The number of queues whose buffers are not registered with the kernel (io_queue_has_buffers). */
uint64_t shared_stats_plain_queues(const struct shared_stats *s);

#endif
