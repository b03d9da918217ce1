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
 * How far the end of a ladder can be trusted. A load that has broken the limit once, for a reason
 * that may have passed, is tried again before it becomes the end.
 */
enum bound {
    BOUND_SURE,
    BOUND_DOUBTFUL, /* the load broke the limit before any load had kept it, or was unsettled */
    BOUND_BUSY,     /* others used the machine meanwhile, so that it may not have been the load */
};

#define LADDER_KEPT 64

/*
 * Chooses the next load of a search: doubles the load until it breaks the limit, and then halves
 * the interval until it is within 5 % (or one thread). Loads are numbers of threads (is_whole) or
 * rates.
 */
struct ladder {
    bool is_whole;
    double most;              /* highest load that may be tried */
    double least;             /* lowest load that may be tried */
    double broken;            /* lowest load that is taken to break it; 0: none */
    double load;              /* load to try now */
    enum bound bound;         /* how sure `broken` is */
    bool is_again;            /* `load` is tried again, as the doubtful bound that it was */
    enum found found;         /* FOUND_UNSURE: `load` is to be tried; otherwise it is the answer */
    unsigned count;           /* number of loads in `kept` */
    double kept[LADDER_KEPT]; /* loads that kept the limit and have never broken it, ascending */
};

/* Begins with the load `first`, but never tries one above `most`. */
void ladder_begin(struct ladder *l, double first, double most, bool is_whole);

/* Records that the load keeps the limit, and chooses the next one. */
void ladder_step_up(struct ladder *l);

/* Records that the load breaks the limit, and how sure that is, and chooses the next one. */
void ladder_step_back(struct ladder *l, enum bound bound);

/* Lowers the load by 5 % (or one thread) after a confirmation in which it broke the limit. */
void ladder_step_down(struct ladder *l, enum bound bound);

/* Highest load that kept the limit and has never broken it; 0: none. */
double ladder_kept(const struct ladder *l);

/*
 * Begins again between the load that has been confirmed and `above`, which once kept the limit
 * and then broke it.
 */
void ladder_look_up(struct ladder *l, double above);

#endif
