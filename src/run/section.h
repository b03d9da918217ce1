// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "live/monitor.h"
#include "live/shared_stats.h"
#include "measure/reading.h"
#include "measure/steady.h"
#include "sys/thread_pool.h"
#include "util/err.h"

/*
 * A section is a piece of work that is measured in one or several laps: its elapsed time, its CPU
 * time, and what everybody did meanwhile. What happens between two laps does not count.
 */
struct section {
    const struct cpu_quotas *quotas;
    const struct sources *sources;
    struct monitor *monitor; /* watches the section; NULL: none */
    unsigned laps;           /* number of laps that ended without a failure */
    struct reading spent;    /* sum over all laps; its time is that of the work */
    struct reading before;   /* when the current lap began */
};

/* Begins a lap. The work must begin right afterwards. */
void section_begin_lap(struct section *s);

/*
 * Ends the lap, and adds the times of its work to the section. times == NULL: the work has failed,
 * and nothing is added.
 */
void section_end_lap(struct section *s, const struct task_times *times);

/*
 * The rounds of a section that is repeated until its figure is steady, or until there have been too
 * many. Workers know nothing of rounds: between two of them, while no worker works, rounds_end()
 * takes a snapshot of the section and the statistics. The figures of a round are the difference of
 * two snapshots.
 */
struct rounds {
    const struct section *section;
    const struct shared_stats *stats;
    enum round_metric metric; /* which figure is judged */
    unsigned most;            /* most rounds, at least STEADY_WINDOW */
    unsigned count;           /* number of rounds that have ended */
    /* all rounds so far; a caller that takes the list sets it to NULL, and must free() it */
    struct round *list;
    struct steady_fit fit; /* fit of the last window; zeros before there is a window */
    bool is_steady;
    struct round_snapshot *snapshots; /* snapshots of the window */
};

/*
 * Begins without rounds. The section and the statistics must not have counted anything. The caller
 * sets the fields above `count`, and all others to 0.
 */
int rounds_open(struct rounds *r, struct err *e);

/* Ends a round. No worker may work meanwhile. Returns whether another round follows. */
bool rounds_end(struct rounds *r);

/*
 * Computes the times, devices and statistics of the last window, or of all rounds if there are
 * fewer. The smallest and the largest latency are exact to 0.1 % (histogram_subtract()).
 */
void rounds_window(const struct rounds *r, struct reading *spent, struct op_stats *stats);

/* Frees what r owns. Does nothing if r is all zeros. */
void rounds_close(struct rounds *r);
