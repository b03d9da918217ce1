#include "bonload/search.h"

#include "util/units.h"

/* The window in which the answer is confirmed is that much longer. */
#define CONFIRMING_WINDOWS 3

/* A new load has this part of a window at least, and this number of limits at most, to settle. */
#define SETTLING_PART   10
#define SETTLING_LIMITS 20

/* Rates have no upper end but what the channels can do, which shows in the latency. */
#define MOST_RATE 1e9

static void set_loads(struct search *s, uint64_t now_ns)
{
    bool by_rate = s->run->plan->search == SEARCH_RATE;
    s->set_ns = now_ns;
    s->is_settling = true;
    for (enum load_kind k = LOAD_KINDS; k-- > 0;) { /* reads first: writes may open them */
        const struct progress p = run_progress(s->run, k);
        const struct ladder *l = &s->ladders[k];
        s->settled[k] = p.begun + (by_rate || !s->is_searched[k] ? 0 : (uint64_t)l->load);
        if (!s->is_searched[k])
            continue;
        if (by_rate)
            run_set_rate(s->run, k, (uint64_t)(l->load * (double)BILLION), now_ns);
        else
            run_set_threads(s->run, k, (unsigned)l->load);
    }
}

void search_begin(struct search *s, struct run *run, struct steps *steps, uint64_t now_ns)
{
    const struct plan *p = run->plan;
    *s = (struct search){.run = run, .steps = steps};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct kind_plan *kind = &p->kinds[k];
        s->is_searched[k] = kind->pace == PACE_RATE || kind->pace == PACE_CLOSED;
        if (kind->pace == PACE_RATE)
            ladder_begin(&s->ladders[k], (double)kind->rate / (double)BILLION, MOST_RATE, false);
        else if (kind->pace == PACE_CLOSED)
            ladder_begin(&s->ladders[k], kind->threads, kind->channels, true);
    }
    set_loads(s, now_ns);
}

/* What ended since the last look. */
static struct counts take_counts(struct search *s, enum load_kind k)
{
    struct counts now = recorders_counts(&s->run->recorders, k);
    struct counts ended = {
        .good = now.good - s->seen[k].good,
        .errors = now.errors - s->seen[k].errors,
        .good_ns = now.good_ns - s->seen[k].good_ns,
        .above = now.above - s->seen[k].above,
    };
    s->seen[k] = now;
    return ended;
}

static uint64_t window_ns(const struct search *s)
{
    return s->run->plan->window_ns * (s->is_confirming ? CONFIRMING_WINDOWS : 1);
}

static void begin_window(struct search *s, uint64_t now_ns)
{
    const struct plan *p = s->run->plan;
    s->is_settling = false;
    s->begin_ns = s->fed_ns = now_ns;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        take_counts(s, k);
        judge_begin(&s->judges[k], &p->limit, p->adjust_on_errors, window_ns(s));
    }
    steps_begin(s->steps, now_ns);
}

/* What was begun at the load before has ended, and every channel has had a request at this one. */
static bool has_settled(const struct search *s, uint64_t now_ns)
{
    const struct plan *p = s->run->plan;
    uint64_t least_ns = p->window_ns / SETTLING_PART;
    uint64_t most_ns = SETTLING_LIMITS * p->limit.nanoseconds;
    uint64_t elapsed_ns = now_ns - s->set_ns;
    if (elapsed_ns < least_ns)
        return false;
    if (elapsed_ns >= most_ns && elapsed_ns >= p->window_ns)
        return true;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && run_progress(s->run, k).ended < s->settled[k])
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

static void note_step(struct search *s, uint64_t now_ns)
{
    struct step *step = steps_end(s->steps, now_ns);
    step->is_confirmation = s->is_confirming;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k])
            continue;
        step->kinds[k].load = s->ladders[k].load;
        step->kinds[k].verdict = judge_verdict(&s->judges[k]);
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

void search_look(struct search *s, uint64_t now_ns)
{
    if (s->is_over)
        return;
    if (s->is_settling) {
        if (has_settled(s, now_ns))
            begin_window(s, now_ns);
        return;
    }
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        struct counts ended = take_counts(s, k);
        judge_feed(&s->judges[k], &ended, now_ns - s->fed_ns);
    }
    s->fed_ns = now_ns;
    if (!is_known(s, now_ns))
        return;
    note_step(s, now_ns);
    if (s->is_confirming)
        confirm(s);
    else
        climb(s);
    if (!s->is_over)
        set_loads(s, now_ns);
}
