#ifndef LIVE_SHARED_STATS_H
#define LIVE_SHARED_STATS_H

#include <stdint.h>

#include "measure/op_stats.h"
#include "util/err.h"

/*
 * Where the workers of a phase count what they do: one place for each of them, in memory that
 * forked processes share. A place has one writer; others may look at it meanwhile, and see each
 * number as it was at some moment. There are no pointers in it, so that the statistics of several
 * processes can be added up.
 */
struct worker_stats {
    _Alignas(64) struct op_stats ops; /* apart: writers do not share cache lines */
    uint64_t plain_queues; /* number of queues opened whose buffers the system does not know */
};

struct shared_stats {
    struct worker_stats *workers;
    unsigned room;
    unsigned used; /* number of places, from the first on, that the present phase uses */
};

/* Opens statistics with places for that number of workers. Returns 0 or a negative errno. */
int shared_stats_open(struct shared_stats *s, unsigned room, struct err *e);

void shared_stats_close(struct shared_stats *s);

/* Begins a phase of that number of workers: empties their places, whose memory is there then. */
void shared_stats_begin(struct shared_stats *s, unsigned used);

/* Adds up what all workers of the phase have counted. */
void shared_stats_sum(const struct shared_stats *s, struct op_stats *sum);

/* The number of queues whose buffers the system does not know (io_queue_has_buffers). */
uint64_t shared_stats_plain_queues(const struct shared_stats *s);

#endif
