#include "bonload/steering.h"

#include <errno.h>
#include <string.h>

#include "measure/clock.h"
#include "sys/stop.h"

static bool has_steps(const struct plan *p)
{
    return p->mode == MODE_SEARCH || p->mode == MODE_SWEEP;
}

static bool is_alone(const struct conductor *c)
{
    return c->coordinator->ranks.count == 1;
}

bool steering_is_needed(const struct conductor *c)
{
    const struct plan *p = c->run->plan;
    return !is_alone(c) && (has_steps(p) || (p->mode == MODE_RATE && p->stop_on_bad_rate));
}

/* ---- the loads ---------------------------------------------------------------------------- */

/* Sets the loads that are to be varied; reads first, because writes may open theirs. */
static void set_loads(struct conductor *c, const uint64_t loads[LOAD_KINDS], uint64_t now_ns)
{
    for (enum load_kind kind = LOAD_KINDS; kind-- > 0;) {
        enum pace pace = c->run->plan->kinds[kind].pace;
        if (pace == PACE_RATE)
            run_set_rate(c->run, kind, loads[kind], now_ns);
        else if (pace == PACE_CLOSED)
            run_set_threads(c->run, kind, (unsigned)loads[kind]);
    }
    if (c->run->plan->mode == MODE_SWEEP) /* a rate is measured from its first request on */
        steps_begin(&c->steps, now_ns);
}

void steering_begin(struct conductor *c, uint64_t now_ns)
{
    const struct plan *p = c->run->plan;
    const struct standing alone = standing_of(c->run);
    uint64_t loads[LOAD_KINDS];
    if (p->mode == MODE_SEARCH)
        search_begin(&c->search, p, is_alone(c) ? &alone : &c->all, now_ns, loads);
    else
        sweep_begin(&c->sweep, p, now_ns, loads);
    set_loads(c, loads, now_ns);
}

/* ---- a step ------------------------------------------------------------------------------- */

static int end_step(struct conductor *c, uint64_t now_ns, struct err *e)
{
    struct step *step;
    int rc = steps_end(&c->steps, now_ns, &step, e);
    if (!step)
        return rc;
    if (c->run->plan->mode == MODE_SEARCH)
        search_note(&c->search, step);
    else
        sweep_note(c->run->plan, c->steps.count - 1, step);
    return rc;
}

/* Does what rank 0 has decided. */
static int obey(struct conductor *c, const struct order *order, uint64_t now_ns, struct err *e)
{
    bool is_last = order->move == MOVE_LAST_STEP;
    int rc = 0;
    c->may_be_warm = order->is_warm;
    if (order->move == MOVE_WINDOW)
        steps_begin(&c->steps, now_ns);
    if (order->move == MOVE_STEP || is_last)
        rc = end_step(c, now_ns, e);
    if (rc == 0 && order->move == MOVE_STEP)
        set_loads(c, order->loads, clock_ns());
    c->has_all_steps |= is_last;
    if (is_last || order->move == MOVE_END)
        conductor_end(c, now_ns);
    return rc;
}

/* ---- a look ------------------------------------------------------------------------------- */

/* One look at all ranks. */
struct look {
    struct conductor *conductor;
    uint64_t now_ns;
    struct standing all;
    struct order order;
};

static void take(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct look *l = context;
    struct standing one;
    (void)rank;
    if (bytes != sizeof one)
        return;
    memcpy(&one, brought, bytes);
    standing_add(&l->all, &one);
}

/* A search ends with the first rank's part of it, because its load is not that of all any more. */
static bool is_at_end(const struct conductor *c, const struct standing *all)
{
    uint64_t enough = c->run->plan->mode == MODE_SEARCH ? 1 : c->coordinator->ranks.count;
    return all->behind > 0 || all->ended >= enough;
}

static void decide(void *context)
{
    struct look *l = context;
    struct conductor *c = l->conductor;
    c->all = l->all;
    l->order.is_warm = c->is_warm;
    if (is_at_end(c, &l->all))
        l->order.move = MOVE_END;
    else if (c->is_warm && c->run->plan->mode == MODE_SEARCH)
        search_decide(&c->search, &l->all, l->now_ns, &l->order);
    else if (c->is_warm && c->run->plan->mode == MODE_SWEEP)
        sweep_decide(&c->sweep, l->now_ns, &l->order);
}

int steering_look(struct conductor *c, uint64_t now_ns, struct err *e)
{
    struct look look = {.conductor = c, .now_ns = now_ns};
    struct standing mine;
    bool is_needed = is_alone(c) ? has_steps(c->run->plan) && c->end_ns == 0
                                 : steering_is_needed(c) && !c->is_over;
    if (!is_needed)
        return 0;
    mine = standing_of(c->run);
    mine.ended = c->end_ns != 0;
    mine.behind = c->is_bad_rate;
    const struct meeting m = {.name = "Looking at the load",
                              .mine = &mine,
                              .bytes = sizeof mine,
                              .take = take,
                              .decide = decide,
                              .context = &look,
                              .answer = &look.order,
                              .answer_bytes = sizeof look.order};
    int rc = coordinator_meet(c->coordinator, &m, e);
    return rc == 0 ? obey(c, &look.order, now_ns, e) : rc;
}

int steering_end(struct conductor *c, uint64_t now_ns, struct err *e)
{
    if (c->run->plan->mode != MODE_SWEEP || c->has_all_steps)
        return 0;
    if (is_alone(c))
        return end_step(c, now_ns, e);
    struct err failure;
    err_init(&failure);
    int rc = c->was_stopped ? -EINTR : end_step(c, now_ns, &failure);
    if (rc == 0 || stop_signal()) /* after a signal ranks do not meet for it */
        return 0;
    *e = failure;
    return rc;
}
