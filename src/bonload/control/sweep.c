#include "bonload/control/sweep.h"

#include "util/mul_div.h"
#include "util/units.h"

/* One kind's share of a rate of reads and writes together. */
static uint64_t share_of(const struct plan *p, enum load_kind kind, uint64_t rate)
{
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    return mul_div(rate, p->kinds[kind].rate, all);
}

static void set_rate(struct sweep *s, uint64_t now_ns, uint64_t loads[LOAD_KINDS])
{
    s->begin_ns = now_ns;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        loads[k] = share_of(s->plan, k, s->plan->settings->sweep[s->next]);
    s->next++;
}

void sweep_begin(struct sweep *s, const struct plan *p, uint64_t now_ns, uint64_t loads[LOAD_KINDS])
{
    *s = (struct sweep){.plan = p};
    set_rate(s, now_ns, loads);
}

void sweep_decide(struct sweep *s, uint64_t now_ns, struct order *order)
{
    if (now_ns - s->begin_ns < s->plan->duration_ns)
        return;
    bool is_last = s->next == s->plan->settings->sweep_count;
    order->move = is_last ? MOVE_LAST_STEP : MOVE_STEP;
    if (!is_last)
        set_rate(s, now_ns, order->loads);
}

void sweep_resume(struct sweep *s, uint64_t now_ns)
{
    s->begin_ns = now_ns;
}

void sweep_note(const struct plan *p, size_t number, struct step *step)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        step->kinds[k].load = (double)share_of(p, k, p->settings->sweep[number]) / (double)BILLION;
}
