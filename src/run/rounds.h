#ifndef RUN_ROUNDS_H
#define RUN_ROUNDS_H

#include <stdbool.h>

#include "live/shared_stats.h"
#include "measure/round.h"
#include "measure/steady.h"
#include "run/section.h"
#include "util/err.h"

/*
 * The rounds of a section that is repeated until its figure is steady, or until there have been too
 * many. The workers know nothing of them: between two rounds, while nobody works, a snapshot of the
 * section and the statistics is taken, and a round's figures are the difference of two snapshots.
 */
struct rounds {
    const struct section *section;
    const struct shared_stats *stats;
    enum round_metric metric; /* the figure that is judged */
    unsigned most;            /* largest number of rounds, at least STEADY_WINDOW */
    unsigned count;           /* number of rounds that have ended */
    /* these rounds; a caller that takes the list sets it to NULL and has to free() it */
    struct round *list;
    struct steady_fit fit; /* of the last window; zeros before there is one */
    bool is_steady;
    struct round_look *looks; /* snapshots of the window */
};

/*
 * Begins without rounds, before the section and the statistics have counted anything. The caller
 * has set the fields above `count`, and the rest to 0. Returns 0 or -ENOMEM.
 */
int rounds_open(struct rounds *r, struct err *e);

/*
 * Called at the end of a round, while nobody works. Returns true when another round is to follow.
 */
bool rounds_end(struct rounds *r);

/*
 * The times, devices and statistics of the last window, or of all rounds if they are fewer. The
 * smallest and the largest latency are exact to 0.1 % (histogram_subtract).
 */
void rounds_window(const struct rounds *r, struct section *section, struct op_stats *stats);

/* Frees all. Does nothing when r is all zeros. */
void rounds_close(struct rounds *r);

#endif
