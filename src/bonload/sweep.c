#include "bonload/sweep.h"

#include "util/units.h"

__extension__ typedef unsigned __int128 uint128;

/* The share that one kind has in a rate of all requests together. */
static uint64_t share_of(const struct plan *p, enum load_kind kind, uint64_t rate)
{
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    return (uint64_t)((uint128)rate * p->kinds[kind].rate / all);
}

static void set_rate(struct sweep *s, uint64_t now_ns)
{
    const struct plan *p = s->run->plan;
    uint64_t rate = p->sweep[s->next++];
    for (enum load_kind k = LOAD_KINDS; k-- > 0;)
        if (plan_has(p, k) && p->kinds[k].pace == PACE_RATE)
            run_set_rate(s->run, k, share_of(p, k, rate), now_ns);
    steps_begin(s->steps, now_ns);
}

void sweep_begin(struct sweep *s, struct run *run, struct steps *steps, uint64_t now_ns)
{
    *s = (struct sweep){.run = run, .steps = steps};
    set_rate(s, now_ns);
}

static void note_step(struct sweep *s, uint64_t now_ns)
{
    const struct plan *p = s->run->plan;
    struct step *step = steps_end(s->steps, now_ns);
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        step->kinds[k].load = (double)share_of(p, k, p->sweep[s->next - 1]) / (double)BILLION;
}

void sweep_look(struct sweep *s, uint64_t now_ns)
{
    const struct plan *p = s->run->plan;
    if (s->is_over || now_ns - s->steps->begin_ns < p->duration_ns)
        return;
    note_step(s, now_ns);
    if (s->next == p->sweep_count)
        s->is_over = true;
    else
        set_rate(s, now_ns);
}

void sweep_end(struct sweep *s, uint64_t now_ns)
{
    if (s->is_over)
        return;
    note_step(s, now_ns);
    s->is_over = true;
}
