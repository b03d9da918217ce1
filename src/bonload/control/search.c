#include "bonload/control/search.h"

#include <string.h>

#include "util/units.h"

/* A confirmation uses windows that are longer by this factor. */
#define CONFIRMING_WINDOWS 3

/*
 * A load settles for at least a window divided by SETTLING_PART. The first load has SETTLING_LIMITS
 * limits and a window for it at most.
 */
#define SETTLING_PART   10
#define SETTLING_LIMITS 20

/* Any later load gets at most the longest window divided by this. */
#define SETTLING_WINDOWS 2

/* The judge assumes stalls of the shortest window divided by this, even if it sees none. */
#define STALL_PART 100

/*
 * If the user limits the number of requests, a window is long enough when it has seen that number
 * divided by this.
 */
#define BUDGET_PART 100

/*
 * Requests that are in flight together wait in the same queues, so a window must be longer than
 * this number of mean latencies: all requests within a few latencies are only one piece of
 * evidence.
 */
#define LATENCIES_LEAST 4

/* Probability of a wrong verdict. */
#define ALPHA .05

/* The search has no upper bound on a rate: what the channels cannot do shows in the latency. */
#define MOST_RATE 1e9

const char *const found_names[] = {[FOUND_LOAD] = "found",
                                   [FOUND_NONE] = "none",
                                   [FOUND_MOST] = "most",
                                   [FOUND_UNSURE] = "unsure"};

static bool search_is_by_rate(const struct search *s)
{
    return s->plan->search == SEARCH_RATE;
}

/* ---- setting a load -------------------------------------------------------------------------- */

static void set_searched_loads(const struct search *s, uint64_t loads[LOAD_KINDS])
{
    double unit = search_is_by_rate(s) ? (double)BILLION : 1;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        loads[k] = s->is_searched[k] ? (uint64_t)(s->ladders[k].load * unit) : 0;
}

void search_resume(struct search *s, const struct standing *all, uint64_t now_ns)
{
    s->stage_ns = now_ns;
    s->is_unsettled = all->busy > 0;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        double load = s->is_searched[k] && !search_is_by_rate(s) ? s->ladders[k].load : 0;
        s->settled[k] = all->progress[k].begun + (uint64_t)load;
    }
}

void search_begin(struct search *s, const struct plan *p, uint64_t now_ns,
                  uint64_t loads[LOAD_KINDS])
{
    const struct standing nothing = {.busy = 0};
    *s = (struct search){.plan = p, .is_first = true};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct kind_plan *kind = &p->kinds[k];
        s->is_searched[k] = kind->pace == PACE_RATE || kind->pace == PACE_CLOSED;
        if (kind->pace == PACE_RATE)
            ladder_begin(&s->ladders[k], (double)kind->rate / (double)BILLION, MOST_RATE, false);
        else if (kind->pace == PACE_CLOSED)
            ladder_begin(&s->ladders[k], kind->threads, kind->channels, true);
    }
    set_searched_loads(s, loads);
    search_resume(s, &nothing, now_ns);
}

/*
 * Whether the window can begin: all requests of the previous load have ended, and every channel has
 * had a request of this load, or the time for that is over.
 */
static bool has_settled(struct search *s, const struct standing *all, uint64_t now_ns)
{
    const struct plan *p = s->plan;
    uint64_t least_ns = p->max_requests < UINT64_MAX ? 0 : p->window_ns / SETTLING_PART;
    uint64_t most_ns = s->is_first ? SETTLING_LIMITS * p->limit.nanoseconds + p->window_ns
                                   : p->window_most_ns / SETTLING_WINDOWS;
    bool is_late = false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        is_late |= s->is_searched[k] && all->progress[k].ended < s->settled[k];
    uint64_t elapsed_ns = now_ns - s->stage_ns;
    if (elapsed_ns < least_ns || (is_late && elapsed_ns < most_ns))
        return false;
    s->is_unsettled |= is_late && !s->is_first;
    return true;
}

/* ---- judging a window ------------------------------------------------------------------------ */

/* Number of windows that a load gets: more when it is a confirmation. */
static unsigned windows_of(const struct search *s)
{
    return s->confirmations > 0 ? CONFIRMING_WINDOWS : 1;
}

/*
 * Divides the probability of a wrong verdict among all confirmations: 1/2 + 1/6 + 1/12 + ... = 1.
 */
static struct judge_rules rules_of(const struct search *s)
{
    const struct plan *p = s->plan;
    double n = s->confirmations;
    return (struct judge_rules){
        .limit = p->limit,
        .counts_errors = p->adjust_on_errors,
        .alpha = n > 0 ? ALPHA / (n * (n + 1)) : ALPHA,
        .stall_ns = p->window_ns * windows_of(s) / STALL_PART,
        .most_ns = p->window_most_ns * windows_of(s),
    };
}

static void begin_window(struct search *s, const struct standing *all, uint64_t now_ns)
{
    const struct judge_rules rules = rules_of(s);
    s->is_measuring = true;
    s->stage_ns = now_ns;
    memcpy(s->seen, all->counts, sizeof s->seen);
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        judge_begin(&s->judges[k], &rules);
}

static void feed_judges(struct search *s, const struct standing *all, uint64_t now_ns)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct progress *progress = &all->progress[k];
        const struct counts *now = &all->counts[k];
        const struct counts *seen = &s->seen[k];
        struct judge *judge = &s->judges[k];
        const struct counts ended = {
            .good = now->good - seen->good,
            .errors = now->errors - seen->errors,
            .good_ns = now->good_ns - seen->good_ns,
            .above = now->above - seen->above,
        };
        judge_feed(judge, &ended, now_ns - s->stage_ns - judge->elapsed_ns,
                   progress->begun > progress->ended);
    }
    memcpy(s->seen, all->counts, sizeof s->seen);
}

/*
 * The verdict on the current load. A broken limit says nothing if requests of the previous load
 * were still in flight.
 */
static enum verdict verdict_of(const struct search *s, enum load_kind k)
{
    enum verdict verdict = judge_verdict(&s->judges[k]);
    return s->is_unsettled && verdict == VERDICT_BROKEN ? VERDICT_UNSETTLED : verdict;
}

/* Whether the search needs the verdict on this kind at the current load. */
static bool is_asked(const struct search *s, enum load_kind k)
{
    const struct ladder *l = &s->ladders[k];
    return s->is_searched[k] && l->found != FOUND_NONE &&
           (s->confirmations > 0 || l->found == FOUND_UNSURE);
}

/*
 * Whether the window is long enough for a verdict: as long as -window, and as LATENCIES_LEAST mean
 * latencies or the longest window. If the user limits the number of requests, a part of them is
 * enough.
 */
static bool is_long_enough(const struct search *s, const struct judge *j)
{
    const struct counts *seen = &j->seen;
    uint64_t budget = s->plan->max_requests;
    uint64_t latencies_ns = seen->good > 0 ? LATENCIES_LEAST * (seen->good_ns / seen->good) : 0;
    bool has_latencies = j->elapsed_ns >= latencies_ns || j->elapsed_ns >= j->rules.most_ns;
    return (j->elapsed_ns >= s->plan->window_ns * windows_of(s) && has_latencies) ||
           (budget < UINT64_MAX && seen->good + seen->errors >= budget / BUDGET_PART);
}

/* Whether all verdicts that matter are known. */
static bool is_known(const struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (is_asked(s, k) &&
            (verdict_of(s, k) == VERDICT_OPEN || !is_long_enough(s, &s->judges[k])))
            return false;
    return true;
}

/* ---- deciding -------------------------------------------------------------------------------- */

/* Records the verdicts on the step that ends now. */
static void note_verdicts(struct search *s)
{
    s->noted = (struct step){.is_confirmation = s->confirmations > 0};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k])
            continue;
        s->noted.kinds[k].load = s->ladders[k].load;
        s->noted.kinds[k].verdict = verdict_of(s, k);
    }
}

static bool any_ladder_is(const struct search *s, enum found found)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && s->ladders[k].found == found)
            return true;
    return false;
}

/*
 * Moves to the next load. Returns true when the search is over: if some kind cannot keep the limit
 * at any load, there is nothing to confirm.
 */
static bool climb_ladders(struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (is_asked(s, k))
            ladder_step(&s->ladders[k], verdict_of(s, k) == VERDICT_KEPT);
    if (any_ladder_is(s, FOUND_UNSURE))
        return false;
    s->confirmations = !any_ladder_is(s, FOUND_NONE);
    return s->confirmations == 0;
}

/*
 * Ends a confirmation: the loads are the answer, or it lowers those that broke the limit. Returns
 * true when the search is over.
 */
static bool confirm_answer(struct search *s)
{
    s->is_confirmed = true;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k] || verdict_of(s, k) == VERDICT_KEPT)
            continue;
        s->is_confirmed = false;
        ladder_step_down(&s->ladders[k]);
    }
    s->confirmations++;
    return s->is_confirmed || any_ladder_is(s, FOUND_NONE);
}

static void look_at_window(struct search *s, const struct standing *all, uint64_t now_ns,
                           struct order *order)
{
    feed_judges(s, all, now_ns);
    if (!is_known(s))
        return;
    note_verdicts(s);
    s->is_first = s->is_measuring = false;
    bool is_over = s->confirmations > 0 ? confirm_answer(s) : climb_ladders(s);
    order->move = is_over ? MOVE_LAST_STEP : MOVE_STEP;
    if (!is_over)
        set_searched_loads(s, order->loads);
}

void search_decide(struct search *s, const struct standing *all, uint64_t now_ns,
                   struct order *order)
{
    if (s->is_measuring) {
        look_at_window(s, all, now_ns, order);
    } else if (has_settled(s, all, now_ns)) {
        begin_window(s, all, now_ns);
        order->move = MOVE_WINDOW;
    }
}

/*
 * The highest load that is known to keep the limit. The current load counts if its unfinished
 * window is enough for that.
 */
static double search_reached(const struct search *s, enum load_kind kind,
                             const struct counts *whole)
{
    const struct ladder *l = &s->ladders[kind];
    const struct judge_rules rules = rules_of(s);
    bool is_kept = s->is_measuring && judge_verdict(&s->judges[kind]) == VERDICT_KEPT;
    if (is_kept || (s->is_first && judge_seems_kept(&rules, whole)))
        return l->load;                        /* which is never below l->kept */
    return s->confirmations > 1 ? 0 : l->kept; /* a failed confirmation refutes l->kept */
}

struct search_answer search_answer(const struct search *s, enum load_kind kind,
                                   const struct counts *whole)
{
    const struct ladder *l = &s->ladders[kind];
    enum verdict last = s->noted.kinds[kind].verdict;
    if (s->is_confirmed)
        return (struct search_answer){l->found, l->load};
    if (l->found != FOUND_NONE)
        return (struct search_answer){FOUND_UNSURE, search_reached(s, kind, whole)};
    bool is_unsure = last == VERDICT_UNKNOWN || last == VERDICT_UNSETTLED;
    return (struct search_answer){is_unsure ? FOUND_UNSURE : FOUND_NONE, 0};
}
