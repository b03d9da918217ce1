// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "live/monitor.h"
#include "measure/steady.h"

/* The rounds of a test that is repeated until its figure is steady, or until there have been too
 * many. Workers know nothing of rounds: between two of them, rounds_end() takes a snapshot of what
 * was spent and of the statistics. The figures of a round are the difference of two snapshots. */
struct rounds {
    const struct reading *spent; /* by all laps so far */
    const struct shared_stats *stats;
    enum round_metric metric; /* which figure is judged */
    unsigned most;            /* most rounds, at least STEADY_WINDOW */
    unsigned count;           /* number of rounds that have ended */
    struct round *list;       /* all so far; who takes it sets this to NULL, and must free() it */
    struct steady_fit fit;    /* fit of the last window; zeros before there is a window */
    bool is_steady;
    struct round_snapshot *snapshots; /* snapshots of the window */
};

/* Begins, before anything is spent. The caller sets the fields above `count`, and others to 0. */
int rounds_open(struct rounds *r, struct err *e);

/* Ends a round. No worker may work meanwhile. Returns whether another round follows. */
bool rounds_end(struct rounds *r);

/* Computes the times, devices and statistics of the last window, or of all rounds if there are
 * fewer. The smallest and the largest latency are exact to 0.1 % (histogram_subtract()). */
void rounds_window(const struct rounds *r, struct reading *spent, struct op_stats *stats);

/* Frees what r owns. Does nothing if r is all zeros. */
void rounds_close(struct rounds *r);
