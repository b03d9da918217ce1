#ifndef BONLOAD_PROGRESS_H
#define BONLOAD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/run.h"
#include "live/progress_bar.h"

/* The live display: a line that is drawn again and again on a terminal, lines elsewhere. */
struct progress_view {
    bool is_on;
    bool is_terminal;
    struct progress_bar bar;
    uint64_t next_ns;
    uint64_t last_ns;
    struct tally *now;
    struct tally *before; /* of each kind, at the last look */
    struct tally *difference;
};

int progress_open(struct progress_view *v, bool is_wanted, struct err *e);

/* Shows how far the run is in this process, if it is time to. goal_ns is when it ends, 0: not
 * known. */
void progress_look(struct progress_view *v, struct run *run, uint64_t now_ns, uint64_t goal_ns);

/* Takes the line off the terminal. */
void progress_clear(struct progress_view *v);
void progress_close(struct progress_view *v);

#endif
