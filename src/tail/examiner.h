// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "measure/control_group.h"
#include "measure/slow_ops.h"
#include "tail/summary.h"

/* The examiner is a process that runs beside a test. Every few milliseconds it takes slow
 * operations out of the workers' boxes (slow_ops.h), reads what the kernel has recorded (trace.h,
 * history.h), and cuts each operation into spans by its events (causes.h); where events of that
 * time are lost, nothing is said. The slowest operations are kept (summary.h). What is slow, it
 * decides by the latencies that the workers have counted so far. */
struct examiner;

#define RUN_DELAY_SAMPLES 512
#define EXAMINER_KINDS    2 /* most kinds of operations that one examiner tells apart */

/* The run delay of a thread, read at some time from before_ns to after_ns (clock_ns()). */
struct run_delay_sample {
    uint64_t before_ns, after_ns, waited_ns;
};

/* How long a worker waits for a CPU (/proc/PID/task/TID/schedstat), where events are not seen. */
struct run_delay {
    int thread; /* the worker's thread ID; 0: not known yet */
    int fd;     /* its file, or -1 */
    uint64_t count;
    struct run_delay_sample samples[RUN_DELAY_SAMPLES]; /* a ring */
};

/* The shortest time that a thread can have waited for a CPU between start_ns, when it was running,
 * and end_ns; 0 if the samples prove nothing. The kernel adds a wait when it ends, so what was
 * added since a sample taken after start_ns began after start_ns, too. */
uint64_t run_delay_least(const struct run_delay *d, uint64_t start_ns, uint64_t end_ns);

/* Operations that are judged together: slow ones are the slowest of their kind. */
struct examiner_kind {
    unsigned workers; /* number of the kind's boxes, which follow those of the previous kind */

    /* Sets *sum to the latencies so far. Is called in the examiner's process, so `counts` must be
     * in shared memory, and the function may use neither malloc nor stdio. */
    void (*latencies)(const void *counts, struct histogram *sum);
    const void *counts;
};

struct examiner_setup {
    struct tail_trace *trace; /* if it is not open, all causes are unknown */
    struct examiner_kind kinds[EXAMINER_KINDS];
    unsigned kind_count;
    struct slow_box *boxes; /* one for each worker, in shared memory */
    const struct device_set *devices;
    const char *filesystem; /* its type, "ext4"; empty: unknown */
    const struct io_limit *limit;
    bool is_queued;   /* workers have several operations in flight */
    bool is_buffered; /* a write may wait for requests that earlier writes made */
};

/* Makes boxes for `count` workers, in shared memory. */
int examiner_make_boxes(struct slow_box **boxes, unsigned count, struct err *e);
void examiner_free_boxes(struct slow_box *boxes, unsigned count);

/* Starts the examiner while no worker works. The caller frees *out. examiner_stop() ends its
 * process when no worker works any more; examiner_free() does, too. There, x may be NULL. */
int examiner_start(struct examiner **out, const struct examiner_setup *setup, struct err *e);
void examiner_stop(struct examiner *x);
void examiner_free(struct examiner *x);

/* Sums up the operations of a kind, which have these latencies. The process must have ended. */
int examiner_sum_up(const struct examiner *x, unsigned kind, const struct histogram *latencies,
                    struct tail_summary *summary, struct err *e);
