#ifndef TAIL_EXAMINER_H
#define TAIL_EXAMINER_H

#include <stdbool.h>

#include "live/shared_stats.h"
#include "measure/io_limit.h"
#include "measure/slow_ops.h"
#include "tail/ground.h"
#include "tail/summary.h"
#include "tail/trace.h"
#include "util/err.h"

/*
 * The examiner: a process that, while a test runs, takes its slow operations out of the workers'
 * boxes, reads what the kernel has recorded, and finds why each was slow. It also decides what is
 * slow, by the latencies that the workers have counted so far.
 */
struct examiner;

struct examiner_setup {
    struct tail_trace *trace; /* if it is not open, all causes are unknown */
    const struct shared_stats *stats;
    struct slow_box *boxes; /* one for each worker, in shared memory */
    unsigned count;
    const struct device_set *devices;
    const struct io_limit *limit;
    bool is_queued;   /* a worker has several operations in flight */
    bool is_buffered; /* a write may wait for what earlier ones have begun */
};

/* The boxes of that many workers, in shared memory. Returns 0 or a negative errno. */
int examiner_make_boxes(struct slow_box **boxes, unsigned count, struct err *e);
void examiner_free_boxes(struct slow_box *boxes, unsigned count);

/*
 * Begins: from now on the workers tell slow operations. The main thread must call it while no
 * worker works. Returns 0 or a negative errno; *out is to be ended.
 */
int examiner_start(struct examiner **out, const struct examiner_setup *setup, struct err *e);

/*
 * Ends it, when no worker works any more, and sums up what it found of a test with these latencies.
 * summary may be NULL, and so may x. Returns 0 or a negative errno.
 */
int examiner_end(struct examiner *x, const struct histogram *latencies,
                 struct tail_summary *summary, struct err *e);

#endif
