#ifndef BONLOAD_CONTROL_SEARCH_H
#define BONLOAD_CONTROL_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/control/judge.h"
#include "bonload/control/ladder.h"
#include "bonload/control/steps.h"
#include "bonload/stats/standing.h"

/*
 * The search for the largest load that keeps a latency limit, as rank 0 decides it. Each load
 * passes through the stages below. Reads and writes have common windows, and are confirmed
 * together. The search knows only the time and the standing of the load of all ranks.
 */
enum search_stage {
    SEARCH_SETTLES,  /* the load is set, and its requests begin */
    SEARCH_MEASURES, /* requests that end are judged */
    SEARCH_IS_OVER
};

struct search {
    const struct plan *plan;
    enum search_stage stage;
    struct ladder ladders[LOAD_KINDS];
    struct judge judges[LOAD_KINDS];
    struct counts seen[LOAD_KINDS];
    /* false: there are no such requests, or they only follow writes */
    bool is_searched[LOAD_KINDS];
    bool is_unknown[LOAD_KINDS]; /* the lowest load was not known to break the limit */
    unsigned confirmations; /* number of confirmations begun; 0: no answer is being confirmed */
    bool is_confirmed;      /* the loads of the ladders are the answer */
    bool is_first;          /* no load has been judged yet */
    bool is_unsettled;      /* the window began before the load had settled */
    uint64_t stage_ns;      /* when the stage began */
    uint64_t fed_ns;        /* when the judges were last fed */
    uint64_t settled[LOAD_KINDS]; /* number of ended requests at which the load has settled */
    struct step noted;            /* the step that has ended: loads, verdicts, is_confirmation */
};

/* Begins a search with the present standing of the load: loads[] becomes the first load. */
void search_begin(struct search *s, const struct plan *p, const struct standing *all,
                  uint64_t now_ns, uint64_t loads[LOAD_KINDS]);

/* Judges what has ended, and decides what comes next; called repeatedly. */
void search_decide(struct search *s, const struct standing *all, uint64_t now_ns,
                   struct order *order);

/* Begins the next load, with nothing in flight if possible. */
void search_resume(struct search *s, const struct standing *all, uint64_t now_ns);

/* Copies the verdicts on a step that has been measured. */
void search_note(const struct search *s, struct step *step);

/* The result of a search for one kind, final or so far. */
enum found {
    FOUND_LOAD,  /* the highest load that keeps the limit */
    FOUND_NONE,  /* no load keeps it */
    FOUND_MOST,  /* the highest load that may be tried keeps it */
    FOUND_UNSURE /* the search has not ended: this load keeps the limit; 0: none is known to */
};
extern const char *const found_names[];

struct search_answer {
    enum found found;
    double load;
};

/*
 * The answer for a kind. `whole` is what has ended in the whole run; it counts if there never was a
 * second load.
 */
struct search_answer search_answer(const struct search *s, enum load_kind kind,
                                   const struct counts *whole);

#endif
