// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "live/progress.h"
#include "measure/histogram.h"
#include "measure/levels.h"
#include "measure/reading.h"

/* Where the workers of a phase count what they do: an entry for each, in memory that forked
 * processes share. Only its worker writes to it; others see each number as of some moment. */
struct worker_stats {
    _Alignas(64) struct op_stats ops; /* aligned so that workers do not share cache lines */
    uint64_t plain_queues; /* number of queues that have no buffers (io_queue_has_buffers()) */
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

/* Add up all that the workers of the phase have counted; or only their latencies. */
void shared_stats_sum(const struct shared_stats *s, struct op_stats *sum);
void shared_stats_latencies(const void *shared_stats, struct histogram *sum);

/* A process that accompanies each phase, and reads the statistics that the workers share with it.
 * It records an interval each second, and more often a point of the time series of bytes; draws the
 * line of progress on a terminal; prints the figures so far on SIGUSR1 (stop.h); and calls `tick`.
 *
 * It is a process of its own so that the main thread can be a worker, and no worker ever reads a
 * clock, takes a lock or prints for it. It uses neither malloc nor stdio's streams, and if it hangs
 * on a stopped terminal, it is killed. */
struct monitor;

/* What a test did in an interval of about a second. */
struct interval {
    uint64_t end_ns; /* end of the interval, in ns since the start of the test */
    uint64_t ops;    /* number of operations that ended in it */
    uint64_t bytes;
    uint64_t p50_ns, p99_ns, max_ns; /* percentiles of their latencies */
};

struct monitor_setup {
    const char *title; /* title of the phase */
    const struct shared_stats *stats;
    struct progress_reading goal;     /* only its goals, as far as they are known beforehand */
    bool draws, has_colour;           /* draws the line on standard error; in colours */
    bool notes_intervals;             /* records intervals */
    bool records_series;              /* records a time series of bytes, to find its levels */
    const struct device_set *devices; /* that the time series covers, too; NULL: none */
    const char *name;                 /* short name of the phase, printed with the figures so far */
    const char *figures;       /* lines of the finished phases, printed before it; NULL: none */
    bool line_is_open;         /* standard error ends in "TITLE...", without a newline */
    uint64_t tick_interval_ns; /* how often `tick` is called while the clock runs; 0: never */
    void (*tick)(void *context);
    void *tick_context;
    const int *unshared_fd; /* a descriptor that the monitor must not keep open; NULL: none */
};

/* Starts the monitor of a phase, while no other thread runs. The caller must end it. */
int monitor_start(struct monitor **out, const struct monitor_setup *setup, struct err *e);

/* Start or stop the phase's clock. A phase may have several laps, and between two of them the next
 * one is prepared: `idle` is the devices' counters, but for what they did in laps; NULL: no
 * devices. elapsed_ns is the time of all laps so far. When monitor_pause() returns, no `tick` is in
 * progress. m may be NULL; then nothing happens. */
void monitor_go(struct monitor *m, const struct device_counters *idle);
void monitor_pause(struct monitor *m, uint64_t elapsed_ns);

/* Ends the monitor of a phase in which this was counted in all laps, and removes its line. Unless
 * they are NULL, *intervals becomes an array of all that was counted, which the caller frees (NULL:
 * none are recorded), and *levels the levels of the time series, if one is recorded. */
int monitor_end(struct monitor *m, const struct reading *spent, struct interval **intervals,
                size_t *count, struct levels *levels, struct err *e);
