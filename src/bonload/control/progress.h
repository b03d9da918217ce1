#ifndef BONLOAD_CONTROL_PROGRESS_H
#define BONLOAD_CONTROL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/load/run.h"
#include "live/progress_bar.h"

/* The live display: a line that is redrawn on a terminal, and lines elsewhere. */
struct progress_view {
    bool is_on;
    bool is_terminal;
    struct progress_bar bar;
    uint64_t next_ns;
    uint64_t last_ns;
    struct recent *counted; /* until the last look, and since the one before it */
};

int progress_open(struct progress_view *v, bool is_wanted, struct err *e);

/*
 * Shows the progress of the run in this process when an update is due. goal_ns is when the run
 * ends, by clock_ns(); 0: unknown.
 */
void progress_look(struct progress_view *v, struct run *run, uint64_t now_ns, uint64_t goal_ns);

/* Starts again after all counters have been cleared. */
void progress_restart(struct progress_view *v);

/* Removes the progress line from the terminal. */
void progress_clear(void *view);
void progress_close(struct progress_view *v);

#endif
