// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/run.h"
#include "live/progress.h"

/*
 * What a run reports on standard error: the live display, which is a line that is redrawn on a
 * terminal, and lines elsewhere; with -verbose, failures; with -memory-debug, the memory used.
 */
struct progress_view {
    bool is_terminal;
    struct progress_bar bar;
    uint64_t next_ns;
    uint64_t last_ns;
    struct recent *counted; /* until the last look, and since the one before it; NULL: no display */
    uint64_t told_failures; /* failures that have been reported: a bit for each kind */
    uint64_t told_memory_ns; /* time of the last report on memory, or the start of the load */
};

int progress_open(struct progress_view *v, bool is_wanted, struct err *e);

/*
 * Reports what is due about this process's part of the run. To be called often. goal_ns is when
 * the run ends, by clock_ns(); 0: unknown.
 */
void progress_look(struct progress_view *v, const struct run *run, uint64_t now_ns,
                   uint64_t goal_ns);

/* Reports each kind of failure once, with -verbose. */
void progress_tell_failures(struct progress_view *v, const struct run *run);

/* Starts again after all counters have been cleared. */
void progress_restart(struct progress_view *v);

/* Removes the progress line from the terminal. */
void progress_clear(void *view);
void progress_close(struct progress_view *v);
