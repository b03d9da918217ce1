#ifndef BONLOAD_CONTROL_SEARCH_H
#define BONLOAD_CONTROL_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/control/judge.h"
#include "bonload/control/ladder.h"
#include "bonload/control/steps.h"
#include "bonload/stats/standing.h"

/*
 * Searches for the largest load that keeps a latency limit. Rank 0 decides for all ranks. Each load
 * first settles, and then its requests are judged in a window. Reads and writes have the same
 * windows, and are confirmed together. The search knows only the time and the standing of all
 * ranks' load.
 */
struct search {
    const struct plan *plan;
    struct ladder ladders[LOAD_KINDS];
    struct judge judges[LOAD_KINDS];
    struct counts seen[LOAD_KINDS];
    /* false: the kind has no load of its own; it has no requests, or its reads follow writes */
    bool is_searched[LOAD_KINDS];
    unsigned confirmations; /* number of confirmations so far, with the current one */
    bool is_confirming;     /* false: the search is looking for a load */
    bool is_confirmed;      /* a confirmation has shown that the ladders' loads are the answer */
    bool has_looked_up;     /* it has tried again what a confirmation had refuted */
    bool is_no_cause;       /* less load does not help, so the load is not the cause */
    bool is_first;          /* the first load has not been judged yet */
    bool is_measuring;      /* the window has begun: the judges get all requests that end */
    bool is_unsettled;      /* the window began before the load had settled */
    enum verdict decided[LOAD_KINDS]; /* verdicts when the window ended */
    double sought[LOAD_KINDS];        /* the loads of the first confirmation */
    struct broken_step {              /* the first load that broke the limit, before any kept it */
        double load;                  /* 0: there is none */
        double late;                  /* share of the requests that failed or exceeded the limit */
        double mean_ns;
    } broken[LOAD_KINDS];
    uint64_t stage_ns;            /* when the window began, or else the load */
    uint64_t settled[LOAD_KINDS]; /* the load has settled when this number of requests has ended */
    struct step noted; /* the step that ended last: its loads, verdicts and is_confirmation */
};

/* Begins before any request. loads[] becomes the first load of each kind. */
void search_begin(struct search *s, const struct plan *p, uint64_t now_ns,
                  uint64_t loads[LOAD_KINDS]);

/*
 * Judges the requests that have ended, and orders a window when the load has settled, and a pause
 * when the window is over. To be called often.
 */
void search_decide(struct search *s, const struct standing *all, uint64_t now_ns,
                   struct order *order);

/*
 * Orders the next load, or the end, after a pause of `paused_ns` in which the last requests of the
 * window have ended. Those that have not count with their age.
 */
void search_end_step(struct search *s, const struct standing *all, uint64_t paused_ns,
                     struct order *order);

/* Begins to settle the next load, after the pause between two steps. */
void search_resume(struct search *s, const struct standing *all, uint64_t now_ns);

extern const char *const found_names[];

/* What a search has found for one kind, at its end or so far, and why that is not more. */
enum found_why {
    FOUND_BY_STEPS,
    FOUND_BUSY,          /* FOUND_UNSURE: more load broke the limit while others used the machine */
    FOUND_NO_CAUSE,      /* FOUND_NONE: less load does not help, so the load is not the cause */
    FOUND_NO_CAUSE_BUSY, /* FOUND_UNSURE: both, and the load is 0 */
};
struct search_answer {
    enum found found;
    double load;
    enum found_why why;
};

/* The reason in words; empty for FOUND_BY_STEPS. */
extern const char *const found_reasons[];

/*
 * The search's answer for one kind. `whole` has the counts of the whole run, which matter only
 * while the first load is being tried.
 */
struct search_answer search_answer(const struct search *s, enum load_kind kind,
                                   const struct counts *whole);

#endif
