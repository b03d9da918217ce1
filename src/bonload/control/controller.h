// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bonload/control/search.h"
#include "bonload/plan/plan.h"
#include "bonload/stats/recorder.h"
#include "sync/coordinator.h"

/*
 * Decides the next load, in rank 0 for all ranks: the only load of a plan, or those of a search or
 * a sweep. A load begins when no request of the previous one is in flight. The controller knows
 * only the time and the standing of all ranks' load.
 */
struct controller {
    const struct plan *plan;
    struct search search;
    size_t next_rate;  /* index of the next rate of a sweep */
    bool is_paused;    /* the last requests of a step are ending */
    uint64_t since_ns; /* when the pause began, or else the load */
};

/* Whether the load changes during the run. */
bool controller_has_steps(const struct plan *p);

/* Starts before anything has been counted. loads[] becomes the first load of each kind. */
void controller_begin(struct controller *s, const struct plan *p, uint64_t now_ns,
                      uint64_t loads[LOAD_KINDS]);

/* Decides what all ranks do next. To be called often, in rank 0. */
void controller_decide(struct controller *s, const struct standing *all, uint64_t now_ns,
                       struct order *order);

/*
 * Has all ranks meet, and gives each the decision of rank 0. `mine` is the standing of this rank's
 * load.
 */
int controller_meet(struct controller *s, struct coordinator *c, const struct standing *mine,
                    uint64_t now_ns, struct order *order, struct err *e);

/*
 * Sets the load of step `number`, counted from 0, when the step has been measured; in a search,
 * also what was found out about it.
 */
void controller_note(const struct controller *s, size_t number, struct step *step);
