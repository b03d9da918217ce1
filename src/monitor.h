#ifndef BONNIE_MONITOR_H
#define BONNIE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "dropper.h"
#include "result.h"
#include "util/err.h"

/*
 * A process beside each phase, which looks at the board that workers and seekers write to: once a
 * second it notes an interval, on a terminal it draws the line that tells how far the phase is, and
 * it has the system's caches dropped if that is to be done while a test reads. It is a process, so
 * that a worker that is the main thread needs no help, and no worker ever looks at a clock, takes a
 * lock or prints for its sake.
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
    const struct board *board;
    struct monitor_goal goal;
    bool draws;                /* the line, on standard error */
    uint64_t drop_interval_ns; /* 0: caches are not dropped meanwhile */
    struct dropper *dropper;
};

/*
 * Starts the monitor of a phase that is being prepared; it must be called by the main thread while
 * no other runs. Returns 0 or a negative errno; on success *out is to be handed to monitor_end().
 */
int monitor_start(struct monitor **out, const struct monitor_setup *setup, struct err *e);

/*
 * The phase's clock runs from now on, or stands still: a phase may be of several rounds, between
 * which things are prepared again. elapsed_ns is what the rounds took so far; when monitor_pause()
 * returns the dropper is the caller's again. m may be NULL: there is none, and nothing is done.
 */
void monitor_go(struct monitor *m);
void monitor_pause(struct monitor *m, uint64_t elapsed_ns);

/*
 * The phase has ended after elapsed_ns on its clock: ends the monitor, and takes its line off the
 * terminal. The intervals, which add up to all that is on the board, are put into *intervals for
 * the caller to free(): NULL if there is no monitor. `intervals` may be NULL. Returns 0, or -ENOMEM
 * when there is no memory for them.
 */
int monitor_end(struct monitor *m, uint64_t elapsed_ns, struct interval **intervals, size_t *count,
                struct err *e);

#endif
