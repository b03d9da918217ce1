#include "bonload/search.h"

#include "util/units.h"

/* The window in which the answer is confirmed is that much longer. */
#define CONFIRMING_WINDOWS 3

/* A new load has this part of a window at least, and this number of limits at most, to settle. */
#define SETTLING_PART   10
#define SETTLING_LIMITS 20

/* Rates have no upper end but what the channels can do, which shows in the latency. */
#define MOST_RATE 1e9

/* The loads of the ladders are set now. */
static void set_loads(struct search *s, const struct standing *all, uint64_t now_ns,
                      uint64_t loads[LOAD_KINDS])
{
    bool by_rate = s->plan->search == SEARCH_RATE;
    s->set_ns = now_ns;
    s->is_settling = true;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        double load = s->is_searched[k] ? s->ladders[k].load : 0;
        s->settled[k] = all->progress[k].begun + (by_rate ? 0 : (uint64_t)load);
        loads[k] = (uint64_t)(by_rate ? load * (double)BILLION : load);
    }
}

void search_begin(struct search *s, const struct plan *p, const struct standing *all,
                  uint64_t now_ns, uint64_t loads[LOAD_KINDS])
{
    *s = (struct search){.plan = p};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct kind_plan *kind = &p->kinds[k];
        s->is_searched[k] = kind->pace == PACE_RATE || kind->pace == PACE_CLOSED;
        if (kind->pace == PACE_RATE)
            ladder_begin(&s->ladders[k], (double)kind->rate / (double)BILLION, MOST_RATE, false);
        else if (kind->pace == PACE_CLOSED)
            ladder_begin(&s->ladders[k], kind->threads, kind->channels, true);
    }
    set_loads(s, all, now_ns, loads);
}

/* What ended since the last look. */
static struct counts take_counts(struct search *s, const struct standing *all, enum load_kind k)
{
    const struct counts *now = &all->counts[k];
    struct counts ended = {
        .good = now->good - s->seen[k].good,
        .errors = now->errors - s->seen[k].errors,
        .good_ns = now->good_ns - s->seen[k].good_ns,
        .above = now->above - s->seen[k].above,
    };
    s->seen[k] = *now;
    return ended;
}

static uint64_t window_ns(const struct search *s)
{
    return s->plan->window_ns * (s->is_confirming ? CONFIRMING_WINDOWS : 1);
}

static void begin_window(struct search *s, const struct standing *all, uint64_t now_ns)
{
    const struct plan *p = s->plan;
    s->is_settling = false;
    s->begin_ns = s->fed_ns = now_ns;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        take_counts(s, all, k);
        judge_begin(&s->judges[k], &p->limit, p->adjust_on_errors, window_ns(s));
    }
}

/* What was begun at the load before has ended, and every channel has had a request at this one. */
static bool has_settled(const struct search *s, const struct standing *all, uint64_t now_ns)
{
    const struct plan *p = s->plan;
    uint64_t least_ns = p->window_ns / SETTLING_PART;
    uint64_t most_ns = SETTLING_LIMITS * p->limit.nanoseconds;
    uint64_t elapsed_ns = now_ns - s->set_ns;
    if (elapsed_ns < least_ns)
        return false;
    if (elapsed_ns >= most_ns && elapsed_ns >= p->window_ns)
        return true;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && all->progress[k].ended < s->settled[k])
            return false;
    return true;
}

/* Whether what happens at this load still has to be found out. */
static bool is_asked(const struct search *s, enum load_kind k)
{
    const struct ladder *l = &s->ladders[k];
    return s->is_searched[k] && !l->is_none && (s->is_confirming || !l->is_found);
}

/* All verdicts that matter are known. */
static bool is_known(const struct search *s, uint64_t now_ns)
{
    if (now_ns - s->begin_ns < window_ns(s))
        return false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (is_asked(s, k) && judge_verdict(&s->judges[k]) == VERDICT_OPEN)
            return false;
    return true;
}

/* What is to be said of the step that ends. */
static void note_verdicts(struct search *s)
{
    s->noted = (struct step){.is_confirmation = s->is_confirming};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k])
            continue;
        s->noted.kinds[k].load = s->ladders[k].load;
        s->noted.kinds[k].verdict = judge_verdict(&s->judges[k]);
    }
}

void search_note(const struct search *s, struct step *step)
{
    step->is_confirmation = s->noted.is_confirmation;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        step->kinds[k].load = s->noted.kinds[k].load;
        step->kinds[k].verdict = s->noted.kinds[k].verdict;
    }
}

/* True when every kind has its answer. */
static bool all_are_found(const struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && !s->ladders[k].is_found && !s->ladders[k].is_none)
            return false;
    return true;
}

/* True when one kind cannot keep the limit at any load: then there is nothing to be confirmed. */
static bool any_is_none(const struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && s->ladders[k].is_none)
            return true;
    return false;
}

static void climb(struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (is_asked(s, k))
            ladder_step(&s->ladders[k], judge_verdict(&s->judges[k]) == VERDICT_KEPT);
    s->is_confirming = all_are_found(s) && !any_is_none(s);
    s->is_over = any_is_none(s) && all_are_found(s);
}

static void confirm(struct search *s)
{
    bool all_kept = true;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k] || judge_verdict(&s->judges[k]) == VERDICT_KEPT)
            continue;
        all_kept = false;
        ladder_step_down(&s->ladders[k]);
    }
    s->is_confirmed = all_kept;
    s->is_over = all_kept || any_is_none(s);
}

void search_decide(struct search *s, const struct standing *all, uint64_t now_ns,
                   struct order *order)
{
    if (s->is_settling) {
        if (!has_settled(s, all, now_ns))
            return;
        begin_window(s, all, now_ns);
        order->move = MOVE_WINDOW;
        return;
    }
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        struct counts ended = take_counts(s, all, k);
        judge_feed(&s->judges[k], &ended, now_ns - s->fed_ns);
    }
    s->fed_ns = now_ns;
    if (!is_known(s, now_ns))
        return;
    note_verdicts(s);
    if (s->is_confirming)
        confirm(s);
    else
        climb(s);
    order->move = s->is_over ? MOVE_LAST_STEP : MOVE_STEP;
    if (!s->is_over)
        set_loads(s, all, now_ns, order->loads);
}
