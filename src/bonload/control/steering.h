#ifndef BONLOAD_CONTROL_STEERING_H
#define BONLOAD_CONTROL_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "bonload/control/search.h"
#include "bonload/control/sweep.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/standing.h"

/*
 * Decides the next load, in rank 0 for all ranks: that of the plan, or those of a search or a
 * sweep, each of which begins when nothing of the previous one is in flight. It knows only the
 * standing of the load of all ranks and the time.
 */
struct steering {
    const struct plan *plan;
    struct search search;
    struct sweep sweep;
    bool is_pausing;           /* a step has ended, except for requests in flight */
    bool is_last;              /* no further step follows */
    uint64_t paused_ns;        /* when the pause began */
    uint64_t next[LOAD_KINDS]; /* the load of the next step */
};

/* Limit on waiting for requests in flight between two steps. */
#define LONGEST_PAUSE_NS UINT64_C(10000000000)

/* True when the load changes during the run. */
bool steering_has_steps(const struct plan *p);

/* Begins anew, before anything has been counted: loads[] becomes the first load. */
void steering_begin(struct steering *s, const struct plan *p, uint64_t now_ns,
                    uint64_t loads[LOAD_KINDS]);

/* Decides what all ranks have to do; called repeatedly, in rank 0. */
void steering_decide(struct steering *s, const struct standing *all, unsigned ranks,
                     uint64_t now_ns, struct order *order);

/* Fills in the load of a step that has been measured; steps are numbered from 0. */
void steering_note(const struct steering *s, size_t number, struct step *step);

#endif
