#include "bonload/control/steering.h"

#include <string.h>

bool steering_has_steps(const struct plan *p)
{
    return p->mode == MODE_SEARCH || p->mode == MODE_SWEEP;
}

void steering_begin(struct steering *s, const struct plan *p, uint64_t now_ns,
                    uint64_t loads[LOAD_KINDS])
{
    const struct standing nothing = {.ended = 0};
    s->plan = p;
    s->is_pausing = s->is_last = false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        loads[k] = p->kinds[k].pace == PACE_RATE ? p->kinds[k].rate : p->kinds[k].threads;
    if (p->mode == MODE_SEARCH)
        search_begin(&s->search, p, &nothing, now_ns, loads);
    else if (p->mode == MODE_SWEEP)
        sweep_begin(&s->sweep, p, now_ns, loads);
}

/*
 * Whether the run is at its end. A search ends with the first rank whose part has ended, because
 * the remaining ranks no longer make the whole load.
 */
static bool is_at_end(const struct steering *s, const struct standing *all, unsigned ranks)
{
    unsigned enough = s->plan->mode == MODE_SEARCH ? 1 : ranks;
    return all->behind > 0 || all->ended >= enough;
}

/* Replaces the order to begin a step with one to pause until all requests have ended. */
static void begin_pause(struct steering *s, uint64_t now_ns, struct order *order)
{
    s->is_pausing = true;
    s->is_last = order->move == MOVE_LAST_STEP;
    s->paused_ns = now_ns;
    memcpy(s->next, order->loads, sizeof s->next);
    order->move = MOVE_PAUSE;
}

static void end_pause(struct steering *s, const struct standing *all, uint64_t now_ns,
                      struct order *order)
{
    if (all->busy > 0 && now_ns - s->paused_ns < LONGEST_PAUSE_NS)
        return;
    s->is_pausing = false;
    if (s->plan->mode == MODE_SEARCH && !s->is_last)
        search_resume(&s->search, all, now_ns);
    sweep_resume(&s->sweep, now_ns);
    order->move = s->is_last ? MOVE_LAST_STEP : MOVE_STEP;
    memcpy(order->loads, s->next, sizeof s->next);
}

void steering_decide(struct steering *s, const struct standing *all, unsigned ranks,
                     uint64_t now_ns, struct order *order)
{
    *order = (struct order){.move = MOVE_NONE};
    if (is_at_end(s, all, ranks)) {
        order->move = MOVE_END;
        return;
    }
    if (s->is_pausing) {
        end_pause(s, all, now_ns, order);
        return;
    }
    if (s->plan->mode == MODE_SEARCH)
        search_decide(&s->search, all, now_ns, order);
    else if (s->plan->mode == MODE_SWEEP)
        sweep_decide(&s->sweep, now_ns, order);
    if (order->move == MOVE_STEP || order->move == MOVE_LAST_STEP)
        begin_pause(s, now_ns, order);
}

/* What a meeting of all ranks about the load works on. */
struct look {
    struct steering *steering;
    unsigned ranks;
    uint64_t now_ns;
    struct standing all;
    struct order *order;
    bool is_damaged; /* the bytes of some rank cannot be decoded */
};

static void take_standing(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct look *l = context;
    struct standing one;
    (void)rank;
    l->is_damaged |= bytes != sizeof one;
    if (bytes == sizeof one)
        standing_add(&l->all, memcpy(&one, brought, bytes));
}

static void decide_order(void *context)
{
    struct look *l = context;
    steering_decide(l->steering, &l->all, l->ranks, l->now_ns, l->order);
}

int steering_meet(struct steering *s, struct coordinator *c, const struct standing *mine,
                  uint64_t now_ns, struct order *order, struct err *e)
{
    struct look look = {.steering = s, .ranks = c->ranks.count, .now_ns = now_ns, .order = order};
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

void steering_note(const struct steering *s, size_t number, struct step *step)
{
    if (s->plan->mode == MODE_SEARCH)
        search_note(&s->search, step);
    else
        sweep_note(s->plan, number, step);
}
