// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "bonload/load/backing.h"
#include "bonload/load/crew.h"
#include "measure/io_limit.h"
#include "tail/examiner.h"
#include "tail/trace.h"

/*
 * Finds what the slowest requests waited for (-explain-tail). Explained is the service time: the
 * one in which a thread carried out the request. Reads and writes are judged apart. Of one that
 * is not open, and of NULL, all functions do nothing.
 */
struct explainer {
    struct tail_trace trace;
    struct slow_box *boxes; /* one for each driver */
    unsigned workers[LOAD_KINDS];
    const struct run *run;
    struct counted {
        const struct run *run;
        enum load_kind kind;
    } counted[LOAD_KINDS];
    struct io_limit limit;
    struct examiner *examiner;
};

/*
 * Opens what only root may open. Returns 0, or a negative errno with a line in e; to be closed in
 * both cases.
 */
int explainer_open(struct explainer *x, struct err *e);
void explainer_close(struct explainer *x);

/* Gives the drivers a place for slow requests, before they have threads. */
int explainer_equip(struct explainer *x, struct crew *c, struct err *e);

/* Begins to look at requests, while the drivers have threads but make none. */
int explainer_begin(struct explainer *x, const struct backing *b, struct err *e);

/*
 * Sums up what it found of the requests of a kind, when all have ended; the first call may wait
 * until all slow ones have been looked at. Returns 0, or a negative errno with a line in e.
 */
int explainer_sum_up(struct explainer *x, enum load_kind kind, const struct tally *t,
                     struct tail_summary *summary, struct err *e);
