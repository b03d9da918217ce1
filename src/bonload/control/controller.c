// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/control/controller.h"

#include <string.h>

#include "util/units.h"

bool controller_has_steps(const struct plan *p)
{
    return p->mode == MODE_SEARCH || p->mode == MODE_SWEEP;
}

/* One kind's share of a sweep's rate of reads and writes together. */
static uint64_t sweep_share(const struct plan *p, enum load_kind kind, size_t number)
{
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    return mul_div(p->settings->sweep[number], p->kinds[kind].rate, all);
}

static void sweep_set_rate(struct controller *s, uint64_t loads[LOAD_KINDS])
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        loads[k] = sweep_share(s->plan, k, s->next_rate);
    s->next_rate++;
}

void controller_begin(struct controller *s, const struct plan *p, uint64_t now_ns,
                      uint64_t loads[LOAD_KINDS])
{
    *s = (struct controller){.plan = p, .since_ns = now_ns};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        loads[k] = p->kinds[k].pace == PACE_RATE ? p->kinds[k].rate : p->kinds[k].threads;
    if (p->mode == MODE_SEARCH)
        search_begin(&s->search, p, now_ns, loads);
    else if (p->mode == MODE_SWEEP)
        sweep_set_rate(s, loads);
}

/* Ends the pause when no request is in flight: orders the next load, or the end. */
static void check_pause(struct controller *s, const struct standing *all, uint64_t now_ns,
                        struct order *order)
{
    uint64_t paused_ns = now_ns - s->since_ns;
    if (all->busy > 0 && paused_ns < LONGEST_PAUSE_NS)
        return;
    s->is_paused = false;
    s->since_ns = now_ns;
    if (s->plan->mode == MODE_SWEEP) {
        bool is_last = s->next_rate == s->plan->settings->sweep_count;
        order->move = is_last ? MOVE_LAST_STEP : MOVE_STEP;
        if (!is_last)
            sweep_set_rate(s, order->loads);
        return;
    }
    search_end_step(&s->search, all, paused_ns, order);
    if (order->move == MOVE_STEP)
        search_resume(&s->search, all, now_ns);
}

void controller_decide(struct controller *s, const struct standing *all, uint64_t now_ns,
                       struct order *order)
{
    /* a search ends with the first rank, because the others alone make only a part of its load */
    unsigned enough = s->plan->mode == MODE_SEARCH ? 1 : plan_ranks(s->plan);
    *order = (struct order){.move = MOVE_NONE};
    if (all->behind > 0 || all->ended >= enough) {
        order->move = MOVE_END;
    } else if (s->is_paused) {
        check_pause(s, all, now_ns, order);
    } else if (s->plan->mode == MODE_SEARCH) {
        search_decide(&s->search, all, now_ns, order);
    } else if (s->plan->mode == MODE_SWEEP && now_ns - s->since_ns >= s->plan->duration_ns) {
        order->move = MOVE_PAUSE;
    }
    if (order->move == MOVE_PAUSE) {
        s->is_paused = true;
        s->since_ns = now_ns;
    }
}

/* What a meeting of all ranks about the load needs. */
struct look {
    struct controller *controller;
    const struct ranks *ranks;
    uint64_t now_ns;
    struct standing all;
    struct order *order;
    bool is_damaged; /* some rank's bytes cannot be decoded */
};

static void take_standing(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct look *l = context;
    struct standing *all = &l->all;
    struct standing one;
    l->is_damaged |= bytes != sizeof one;
    if (bytes != sizeof one)
        return;
    memcpy(&one, brought, bytes);
    busy_among(&one.machine, ranks_beside(l->ranks, rank));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        all->counts[kind].good += one.counts[kind].good;
        all->counts[kind].errors += one.counts[kind].errors;
        all->counts[kind].good_ns += one.counts[kind].good_ns;
        all->counts[kind].above += one.counts[kind].above;
        all->progress[kind].begun += one.progress[kind].begun;
        all->progress[kind].ended += one.progress[kind].ended;
    }
    all->busy += one.busy;
    all->ended += one.ended;
    all->behind += one.behind;
    all->disturbed += busy_is(&one.machine);
}

static void decide_order(void *context)
{
    struct look *l = context;
    controller_decide(l->controller, &l->all, l->now_ns, l->order);
}

int controller_meet(struct controller *s, struct coordinator *c, const struct standing *mine,
                    uint64_t now_ns, struct order *order, struct err *e)
{
    struct look look = {.controller = s, .ranks = &c->ranks, .now_ns = now_ns, .order = order};
    const struct meeting m = {.name = "Looking at the load",
                              .mine = mine,
                              .bytes = sizeof *mine,
                              .take = take_standing,
                              .decide = decide_order,
                              .context = &look,
                              .answer = order,
                              .answer_bytes = sizeof *order};
    *order = (struct order){.move = MOVE_NONE};
    int rc = coordinator_meet(c, &m, e);
    return rc == 0 && look.is_damaged ? err_say(e, FIGURES_DAMAGED) : rc;
}

void controller_note(const struct controller *s, size_t number, struct step *step)
{
    const struct step *noted = &s->search.noted;
    bool is_sweep = s->plan->mode == MODE_SWEEP;
    step->is_confirmation = noted->is_confirmation;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        step->kinds[k].verdict = noted->kinds[k].verdict;
        step->kinds[k].load = is_sweep ? (double)sweep_share(s->plan, k, number) / (double)BILLION
                                       : noted->kinds[k].load;
    }
}
