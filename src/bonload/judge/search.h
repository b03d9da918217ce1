// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/judge/sequential_test.h"
#include "measure/limit.h"

/* What decides which load is next: the controller. In a search for the largest load that keeps a
 * limit, the sequential test says whether a window's requests keep it, and the search of each kind
 * which load is next. They have no clock and no threads, so tests can run whole searches. */

/* What a search has found of one kind of load, at its end or so far. */
enum found {
    FOUND_LOAD,  /* the highest load that keeps the limit */
    FOUND_NONE,  /* no load keeps the limit */
    FOUND_MOST,  /* the highest allowed load keeps the limit */
    FOUND_UNSURE /* the search has not ended; the load is known to keep the limit, or is 0 */
};

/* Chooses the next load of a search: doubles the load until it breaks the limit, and then halves
 * the interval until it is within 5 % (or one thread). Loads are threads (is_whole) or rates. */
#define KIND_SEARCH_KEPT 64
struct kind_search {
    bool is_whole;
    double most;   /* highest load that may be tried */
    double least;  /* lowest load that may be tried */
    double broken; /* lowest load that is taken to break it; 0: none */
    double load;   /* load to try now */
    /* The verdict on `broken`; if doubtful, that is tried again before it becomes the end. */
    enum verdict why;
    bool is_again;    /* now */
    enum found found; /* FOUND_UNSURE: `load` is to be tried; otherwise it is the answer */
    unsigned count;   /* number of loads in `kept` */
    double kept[KIND_SEARCH_KEPT]; /* loads that kept the limit and never broke it, ascending */
};

/* Begins with the load `first`, but never tries one above `most`. */
void kind_search_begin(struct kind_search *ks, double first, double most, bool is_whole);

/* Record that the load keeps the limit, that it breaks it, or that it did so in a confirmation; and
 * choose the next one, after a confirmation one that is lower by 5 % (or one thread). */
void kind_search_step_up(struct kind_search *ks);
void kind_search_step_back(struct kind_search *ks, enum verdict why);
void kind_search_step_down(struct kind_search *ks, enum verdict why);

/* Highest load that kept the limit and has never broken it; 0: none. */
double kind_search_kept(const struct kind_search *ks);

/* A load that a search or a sweep made, and what was measured with it. */
struct step {
    uint64_t start_ns; /* since the start of the run */
    uint64_t elapsed_ns;
    struct others machine; /* what others did meanwhile, on the busiest host */
    bool is_confirmation;
    bool is_cut; /* the end of the run has cut it short */
    struct step_kind {
        bool is_there;
        double load;     /* threads, or requests per second */
        double offered;  /* requests per second that became due; with threads, that ended */
        double achieved; /* requests per second that succeeded */
        enum verdict verdict;
        uint64_t requests;
        uint64_t errors;
        struct latencies latencies;
        uint64_t limited_ns; /* the figure that the search limits; 0 in a sweep */
    } kinds[LOAD_KINDS];
};

/* Longest pause between two steps. A request that is still in flight then has taken that long. */
#define MAX_PAUSE_NS UINT64_C(10000000000)

/* Decides the next load, in rank 0 for all ranks: the only load of a plan, or those of a search or
 * a sweep. A load begins when no request of the previous one is in flight. In a search, each first
 * settles, and then is judged in a window: reads and writes in the same, and confirmed together. */
struct controller {
    const struct plan *plan;
    size_t next_rate;  /* index of the next rate of a sweep */
    bool is_paused;    /* the last requests of a step are ending */
    uint64_t since_ns; /* when the pause began, or else the load */

    /* a search */
    struct kind_search kind_searches[LOAD_KINDS];
    struct sequential_test tests[LOAD_KINDS];
    struct counts seen[LOAD_KINDS];
    bool is_searched[LOAD_KINDS]; /* false: there are no requests, or the reads follow writes */
    unsigned confirmations;       /* number of confirmations so far, with the current one */
    bool is_confirming;           /* false: the search is looking for a load */
    bool is_confirmed;            /* a confirmation has shown that the loads found are the answer */
    bool has_looked_up;           /* it has tried again what a confirmation had refuted */
    bool is_no_cause;             /* less load does not help, so the load is not the cause */
    bool is_first;                /* the first load has not been judged yet */
    bool is_measuring;            /* the window has begun: the tests get all requests that end */
    bool is_unsettled;            /* the window began before the load had settled */
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

/* How a load stands, on one rank or all, and rank 0's order to all. Both travel between hosts. */
struct standing {
    /* Only a search needs these, which has one rank. */
    struct counts counts[LOAD_KINDS];
    struct progress progress[LOAD_KINDS];
    uint64_t disturbed; /* in a pause: 1 if others used the machine during the step */

    uint64_t busy;   /* in a pause: number of threads that still have requests in flight */
    uint64_t ended;  /* number of ranks whose load has ended */
    uint64_t behind; /* number of ranks that could not keep their rate, with -stop-on-bad-rate */
};

enum move {
    MOVE_NONE,
    MOVE_WINDOW,    /* the load has settled; requests that are due from now on are measured */
    MOVE_PAUSE,     /* requests stop beginning, and those in flight end */
    MOVE_STEP,      /* a step has ended; `loads` is the next load */
    MOVE_LAST_STEP, /* the last step has ended */
    MOVE_END        /* the load ends */
};

struct order {
    uint64_t move;              /* an enum move */
    uint64_t loads[LOAD_KINDS]; /* for all ranks: threads, or billionths of requests per second */
};

/* Starts before anything has been counted. loads[] becomes the first load of each kind. */
void controller_begin(struct controller *c, const struct plan *p, uint64_t now_ns,
                      uint64_t loads[LOAD_KINDS]);

/* Decides what all ranks do next. To be called often, in rank 0. */
void controller_decide(struct controller *c, const struct standing *all, uint64_t now_ns,
                       struct order *order);

/* Sets the load of step `number`, counted from 0, and in a search what was found out about it. */
void controller_note(const struct controller *c, size_t number, struct step *step);

/* What a search has found for one kind, at its end or so far, and why nothing higher. */
struct search_answer {
    enum found found;
    double load;
    enum found_why {
        FOUND_BY_STEPS,
        FOUND_BUSY,     /* FOUND_UNSURE: more load broke the limit while others used the machine */
        FOUND_NO_CAUSE, /* FOUND_NONE: less load does not help, so the load is not the cause */
        FOUND_NO_CAUSE_BUSY, /* FOUND_UNSURE: both, and the load is 0 */
        FOUND_FAILED,        /* most requests of the last load failed; set by the report */
        FOUND_TOO_SHORT, /* FOUND_UNSURE: the last window was not long enough, and the load is 0 */
    } why;
};

/* What was found, for programs, and the reason in words; empty for FOUND_BY_STEPS. */
extern const char *const found_names[];
extern const char *const found_reasons[];

/* The answer for one kind. `whole`, the whole run's counts, matters only at the first load. */
struct search_answer search_answer(const struct controller *c, enum load_kind kind,
                                   const struct counts *whole);
