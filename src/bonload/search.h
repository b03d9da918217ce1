#ifndef BONLOAD_SEARCH_H
#define BONLOAD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/judge.h"
#include "bonload/ladder.h"
#include "bonload/standing.h"
#include "bonload/steps.h"

/*
 * The search for the largest load that keeps a limit of latency, as rank 0 decides it: a load is
 * set, it settles, what ends in a window is judged, and the next load follows. Reads and writes
 * step at common windows and are confirmed together. It sees nothing but how the load of all ranks
 * stands.
 */
struct search {
    const struct plan *plan;
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
    struct step noted;            /* the step that has ended: loads, verdicts, is_confirmation */
};

/* Begins a search when the load stands so: loads[] becomes the first one. */
void search_begin(struct search *s, const struct plan *p, const struct standing *all,
                  uint64_t now_ns, uint64_t loads[LOAD_KINDS]);

/* To be called often: judges what has ended, and decides what comes next. */
void search_decide(struct search *s, const struct standing *all, uint64_t now_ns,
                   struct order *order);

/* Notes what was decided of a step that has been measured. */
void search_note(const struct search *s, struct step *step);

#endif
