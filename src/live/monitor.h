#ifndef LIVE_MONITOR_H
#define LIVE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/shared_stats.h"
#include "measure/interval.h"
#include "util/err.h"

/*
 * A process that accompanies each phase and reads the statistics that the workers share with it.
 * Once a second it records an interval; on a terminal it draws the line with the progress of the
 * phase; on an inquiry (stop.h) it prints the figures so far; and it calls `tick` at an interval if
 * the caller has something else to do during the phase.
 *
 * It is a process of its own so that the main thread can be a worker, and so that no worker reads a
 * clock, takes a lock or prints because of the monitor.
 */
struct monitor;

/* How much there is to do, from which the line computes the progress; 0: not known beforehand. */
struct monitor_goal {
    uint64_t ops;
    uint64_t bytes;
    uint64_t nanoseconds;
};

struct monitor_setup {
    const char *title; /* of the phase */
    const struct shared_stats *stats;
    struct monitor_goal goal;
    bool draws;           /* whether to draw the line, on standard error */
    bool has_colour;      /* whether to draw it in colours */
    bool notes_intervals; /* whether to record intervals */
    const char *name;     /* short name of the phase, for the figures so far */
    /* lines of the phases before it, printed with the figures so far, or NULL */
    const char *figures;
    bool line_is_open; /* standard error ends with "TITLE..." and no newline */
    /* interval at which `tick` is called while the clock runs; 0: never */
    uint64_t tick_interval_ns;
    void (*tick)(void *context);
    void *tick_context;
};

/*
 * Starts the monitor of a phase that is being prepared. The main thread must call it while no other
 * thread runs. Returns 0 or a negative errno; on success the caller passes *out to monitor_end().
 */
int monitor_start(struct monitor **out, const struct monitor_setup *setup, struct err *e);

/*
 * Starts or stops the phase's clock: a phase may have several rounds, and between two of them the
 * next one is prepared. elapsed_ns is what the rounds took so far. When monitor_pause() returns, no
 * `tick` is in progress. m may be NULL, in which case nothing is done.
 */
void monitor_go(struct monitor *m);
void monitor_pause(struct monitor *m, uint64_t elapsed_ns);

/*
 * Ends the monitor of a phase that took elapsed_ns on its clock, and removes its line from the
 * terminal. *intervals receives the intervals, which add up to everything that was counted, for the
 * caller to free(); NULL if there is no monitor or it records none. `intervals` may be NULL.
 * Returns 0, or -ENOMEM when there is no memory for them.
 */
int monitor_end(struct monitor *m, uint64_t elapsed_ns, struct interval **intervals, size_t *count,
                struct err *e);

#endif
