#ifndef BONLOAD_LADDER_H
#define BONLOAD_LADDER_H

#include <stdbool.h>

/*
 * Which load to try next in a search: it doubles until the limit breaks, then halves the interval
 * until it is within 5 % (or one thread). Loads are numbers of threads (whole) or rates.
 */
struct ladder {
    bool is_whole;
    double most;   /* no higher load is tried */
    double least;  /* nor a lower one */
    double kept;   /* highest load that is known to keep the limit; 0: none */
    double broken; /* lowest load that is known to break it; 0: none */
    double load;   /* to be tried now */
    bool is_found; /* load is the answer, to be confirmed */
    bool is_none;  /* no load keeps the limit */
    bool is_most;  /* the highest load that may be tried keeps it */
};

void ladder_begin(struct ladder *l, double first, double most, bool is_whole);

/* The load that was tried keeps the limit, or breaks it. */
void ladder_step(struct ladder *l, bool kept);

/* The answer broke the limit when it was to be confirmed: 5 % (or one thread) less. */
void ladder_step_down(struct ladder *l);

#endif
