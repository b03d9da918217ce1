#ifndef TAIL_EXAMINER_H
#define TAIL_EXAMINER_H

#include <stdbool.h>

#include "measure/histogram.h"
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

/* Most kinds of operations that one examiner tells apart. */
#define EXAMINER_KINDS 2

/* Operations that are judged together: those are slow that are among the slowest of their kind. */
struct examiner_kind {
    unsigned workers; /* number of their boxes, which follow those of the kind before */

    /*
     * Sets *sum to the latencies so far. Is called in the examiner, while the workers count, so
     * `counts` must be in shared memory; it may use neither malloc nor stdio.
     */
    void (*latencies)(const void *counts, struct histogram *sum);
    const void *counts;
};

struct examiner_setup {
    struct tail_trace *trace; /* if it is not open, all causes are unknown */
    struct examiner_kind kinds[EXAMINER_KINDS];
    unsigned kind_count;
    struct slow_box *boxes; /* one for each worker, in shared memory */
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
 * worker works. Returns 0 or a negative errno; *out is to be freed.
 */
int examiner_start(struct examiner **out, const struct examiner_setup *setup, struct err *e);

/* Ends the process, when no worker works any more. x may be NULL. */
void examiner_stop(struct examiner *x);

/*
 * Sums up, after the end, what it found of the operations of a kind, which have these latencies.
 * Returns 0 or a negative errno.
 */
int examiner_sum_up(const struct examiner *x, unsigned kind, const struct histogram *latencies,
                    struct tail_summary *summary, struct err *e);

/* Stops it, unless that is done, and frees it. x may be NULL. */
void examiner_free(struct examiner *x);

#endif
