#ifndef LIVE_MONITOR_H
#define LIVE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/shared_stats.h"
#include "measure/interval.h"
#include "util/err.h"

/*
 * A process beside each phase, which looks at the statistics that the workers share with it: once
 * a second it notes an interval, on a terminal it draws the line that shows the progress of the
 * phase, on an inquiry (stop.h) it prints the figures so far, and it calls back regularly if the
 * caller has something else to do during the phase. It is a process, so that a single worker can be
 * the main thread itself, and no worker ever looks at a clock, takes a lock or prints because of
 * the monitor.
 */
struct monitor;

/* How much there is to do, so that the line can tell how far it is; 0: not known beforehand. */
struct monitor_goal {
    uint64_t ops;
    uint64_t bytes;
    uint64_t nanoseconds;
};

struct monitor_setup {
    const char *title; /* of the phase */
    const struct shared_stats *stats;
    struct monitor_goal goal;
    bool draws;                /* the line, on standard error */
    bool has_colour;           /* and in colours */
    bool notes_intervals;      /* somebody wants them */
    const char *name;          /* of the phase, short, for the figures so far */
    const char *figures;       /* lines of the phases before it, for those, or NULL */
    bool line_is_open;         /* "TITLE..." stands on standard error without an end */
    uint64_t tick_interval_ns; /* how often `tick` is called while the clock runs; 0: never */
    void (*tick)(void *context);
    void *tick_context;
};

/*
 * Starts the monitor of a phase that is being prepared; it must be called by the main thread while
 * no other runs. Returns 0 or a negative errno; on success *out is to be handed to monitor_end().
 */
int monitor_start(struct monitor **out, const struct monitor_setup *setup, struct err *e);

/*
 * The phase's clock runs from now on, or stands still: a phase may be of several rounds, between
 * which things are prepared again. elapsed_ns is what the rounds took so far; when monitor_pause()
 * returns no `tick` is under way. m may be NULL: there is none, and nothing is done.
 */
void monitor_go(struct monitor *m);
void monitor_pause(struct monitor *m, uint64_t elapsed_ns);

/*
 * The phase has ended after elapsed_ns on its clock: ends the monitor, and takes its line off the
 * terminal. The intervals, which add up to all that was counted, are put into *intervals for
 * the caller to free(): NULL if there is no monitor, or it notes none. `intervals` may be NULL.
 * Returns 0, or -ENOMEM when there is no memory for them.
 */
int monitor_end(struct monitor *m, uint64_t elapsed_ns, struct interval **intervals, size_t *count,
                struct err *e);

#endif
