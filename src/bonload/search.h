#ifndef BONLOAD_SEARCH_H
#define BONLOAD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/judge.h"
#include "bonload/ladder.h"
#include "bonload/steps.h"

/*
 * The search for the largest load that keeps a limit of latency, as the main thread drives it: it
 * sets a load, lets it settle, judges what ends in a window, and goes to the next load. Reads and
 * writes step at common windows and are confirmed together.
 */
struct search {
    struct run *run;
    struct steps *steps;
    struct ladder ladders[LOAD_KINDS];
    struct judge judges[LOAD_KINDS];
    struct counts seen[LOAD_KINDS];
    bool is_searched[LOAD_KINDS]; /* false: it is not there, or only follows writes */
    bool is_settling;
    bool is_confirming;
    bool is_confirmed; /* the loads of the ladders are the answer */
    bool is_over;
    uint64_t set_ns;              /* when the present load was set */
    uint64_t begin_ns;            /* of the window */
    uint64_t fed_ns;              /* up to when the judges have been fed */
    uint64_t settled[LOAD_KINDS]; /* when that number of requests has ended */
};

/* Sets the first load. */
void search_begin(struct search *s, struct run *run, struct steps *steps, uint64_t now_ns);

/* To be called often: judges what has ended, and continues when the answer at this load is known.
 * is_over is set when the search is at its end. */
void search_look(struct search *s, uint64_t now_ns);

#endif
