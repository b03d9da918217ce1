#ifndef RUN_ROUNDS_H
#define RUN_ROUNDS_H

#include <stdbool.h>

#include "live/shared_stats.h"
#include "measure/round.h"
#include "measure/steady.h"
#include "run/section.h"
#include "util/err.h"

/*
 * The rounds of a section that is repeated until its figure is steady, or until there have been
 * too many. Who does the work knows nothing of them: between two rounds, while nobody works, the
 * section and the statistics are looked at, and what a round did is the difference of two looks.
 */
struct rounds {
    const struct section *section;
    const struct shared_stats *stats;
    enum round_metric metric; /* whose steadiness is judged */
    unsigned most;            /* STEADY_WINDOW at least */
    unsigned count;           /* number of rounds that have ended */
    struct round *list;       /* those; whoever sets it to NULL has to free() it */
    struct steady_fit fit;    /* of the last window; zeros before there is one */
    bool is_steady;
    struct round_look *looks; /* of the window */
};

/*
 * Begins with no round, while section and statistics have nothing yet; r has the fields above
 * `count`, the rest is 0. Returns 0, or -ENOMEM.
 */
int rounds_open(struct rounds *r, struct err *e);

/* A round has ended, and nobody works. Returns true when there is to be another one. */
bool rounds_end(struct rounds *r);

/*
 * What was measured in the last window, or in all rounds if they are fewer: times, devices and
 * statistics. The smallest and the largest latency are exact to 0.1 % (histogram_subtract).
 */
void rounds_window(const struct rounds *r, struct section *section, struct op_stats *stats);

/* Frees all. Does nothing when r is all zeros. */
void rounds_close(struct rounds *r);

#endif
