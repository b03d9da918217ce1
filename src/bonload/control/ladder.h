#ifndef BONLOAD_CONTROL_LADDER_H
#define BONLOAD_CONTROL_LADDER_H

#include <stdbool.h>

/* What a search has found of one kind of load, at its end or so far. */
enum found {
    FOUND_LOAD,  /* the highest load that keeps the limit */
    FOUND_NONE,  /* no load keeps the limit */
    FOUND_MOST,  /* the highest allowed load keeps the limit */
    FOUND_UNSURE /* the search has not ended; the load is known to keep the limit, or is 0 */
};

/*
 * Chooses the next load of a search: doubles the load until it breaks the limit, and then halves
 * the interval until it is within 5 % (or one thread). Loads are numbers of threads (is_whole) or
 * rates.
 */
struct ladder {
    bool is_whole;
    double most;      /* highest load that may be tried */
    double least;     /* lowest load that may be tried */
    double kept;      /* highest load known to keep the limit; 0: none */
    double broken;    /* lowest load known to break it; 0: none */
    double load;      /* load to try now */
    enum found found; /* FOUND_UNSURE: `load` is to be tried; otherwise it is the answer */
};

/* Begins with the load `first`, but never tries one above `most`. */
void ladder_begin(struct ladder *l, double first, double most, bool is_whole);

/* Records whether the load keeps the limit, and chooses the next one. */
void ladder_step(struct ladder *l, bool kept);

/* Lowers the load by 5 % (or one thread) after a confirmation in which it broke the limit. */
void ladder_step_down(struct ladder *l);

#endif
