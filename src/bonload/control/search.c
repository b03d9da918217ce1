#include "bonload/control/search.h"

#include <math.h>
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

/*
 * Less load does not help if at 1/HELP_PART of a load there are still more than 1/HELP_LEAST of the
 * late requests, and of the mean latency. This says nothing of a rate of which less than MADE_SHARE
 * could be made: it was more than the store can do, and so may be an eighth of it.
 */
#define HELP_PART  8
#define HELP_LEAST 2
#define MADE_SHARE .9

/* If a confirmation goes down to less than this share of a load, the search tries that again. */
#define FAR_SHARE .9

/* The search has no upper bound on a rate: what the channels cannot do shows in the latency. */
#define MOST_RATE 1e9

const char *const found_names[] = {[FOUND_LOAD] = "found",
                                   [FOUND_NONE] = "none",
                                   [FOUND_MOST] = "most",
                                   [FOUND_UNSURE] = "unsure"};

const char *const found_reasons[] = {
    [FOUND_BY_STEPS] = "",
    [FOUND_BUSY] = "others used the machine when the limit broke",
    [FOUND_NO_CAUSE] = "less load does not help, so the load is not the cause",
    [FOUND_NO_CAUSE_BUSY] = "less load does not help, and others used the machine",
};

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
    return s->is_confirming ? CONFIRMING_WINDOWS : 1;
}

/*
 * Divides the probability of a wrong verdict among all confirmations: 1/2 + 1/6 + 1/12 + ... = 1.
 */
static struct judge_rules rules_of(const struct search *s)
{
    const struct plan *p = s->plan;
    double n = s->is_confirming ? s->confirmations : 0;
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
           (s->is_confirming || l->found == FOUND_UNSURE);
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

/*
 * Adds the requests that ended in the pause, and those that never did: a window that ends when it
 * knows its answer leaves out the longest ones.
 */
static void feed_last(struct search *s, const struct standing *all, uint64_t paused_ns)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct counts *now = &all->counts[k];
        const struct counts *seen = &s->seen[k];
        uint64_t left = all->busy > 0 ? all->progress[k].begun - all->progress[k].ended : 0;
        const struct counts ended = {
            .good = now->good - seen->good + left,
            .errors = now->errors - seen->errors,
            .good_ns = now->good_ns - seen->good_ns + left * paused_ns,
            .above =
                now->above - seen->above + (paused_ns >= s->plan->limit.nanoseconds ? left : 0),
        };
        judge_feed(&s->judges[k], &ended, 0, false);
    }
}

/* The verdict when all requests of the window are known. */
static enum verdict last_verdict(const struct search *s, enum load_kind k, bool is_busy)
{
    const struct judge *j = &s->judges[k];
    enum verdict verdict = s->decided[k];
    if (verdict == VERDICT_KEPT && !judge_seems_kept(&j->rules, &j->seen))
        verdict = judge_verdict(j) == VERDICT_BROKEN ? VERDICT_BROKEN : VERDICT_UNKNOWN;
    bool is_against = verdict != VERDICT_KEPT && verdict != VERDICT_OPEN;
    return is_against && is_busy ? VERDICT_BUSY : verdict;
}

/* Records the verdicts on the step that ends now. */
static void note_verdicts(struct search *s, bool is_busy)
{
    s->noted = (struct step){.is_confirmation = s->is_confirming};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k])
            continue;
        s->noted.kinds[k].load = s->ladders[k].load;
        s->noted.kinds[k].verdict = last_verdict(s, k, is_busy);
    }
}

static bool any_ladder_is(const struct search *s, enum found found)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && s->ladders[k].found == found)
            return true;
    return false;
}

static enum bound bound_of(enum verdict verdict)
{
    return verdict == VERDICT_BUSY        ? BOUND_BUSY
           : verdict == VERDICT_UNSETTLED ? BOUND_DOUBTFUL
                                          : BOUND_SURE;
}

/* Whether the load that broke the limit was made, so that less of it should help. */
static bool was_made(const struct search *s, enum load_kind k)
{
    const struct judge *j = &s->judges[k];
    double due = s->ladders[k].load * (double)j->elapsed_ns / (double)BILLION;
    return !search_is_by_rate(s) || (double)(j->seen.good + j->seen.errors) >= MADE_SHARE * due;
}

/* Whether less load does not help. Asked of each load that breaks the limit before any keeps it. */
static bool helps_nothing(struct search *s, enum load_kind k)
{
    const struct counts *seen = &s->judges[k].seen;
    struct broken_step *first = &s->broken[k];
    const struct broken_step now = {
        .load = s->ladders[k].load,
        .late = (double)(seen->above + seen->errors) / fmax(1, (double)(seen->good + seen->errors)),
        .mean_ns = (double)seen->good_ns / fmax(1, (double)seen->good),
    };
    if (s->plan->limit.of == LIMIT_MAX || !was_made(s, k)) /* max ends with the first late one */
        return false;
    if (first->load <= 0)
        *first = now;
    return now.load * HELP_PART <= first->load && now.late * HELP_LEAST >= first->late &&
           now.mean_ns * HELP_LEAST >= first->mean_ns;
}

static void climb_ladder(struct search *s, enum load_kind k)
{
    struct ladder *l = &s->ladders[k];
    enum verdict verdict = s->noted.kinds[k].verdict;
    if (verdict == VERDICT_KEPT) {
        ladder_step_up(l);
        return;
    }
    bool is_no_cause = ladder_kept(l) <= 0 && helps_nothing(s, k);
    s->is_no_cause |= is_no_cause;
    ladder_step_back(l, bound_of(verdict));
    if (is_no_cause)
        l->found = FOUND_NONE;
}

/*
 * Moves to the next load. Returns true when the search is over: if some kind cannot keep the limit
 * at any load, there is nothing to confirm.
 */
static bool climb_ladders(struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (is_asked(s, k))
            climb_ladder(s, k);
    if (any_ladder_is(s, FOUND_NONE))
        return true;
    if (any_ladder_is(s, FOUND_UNSURE))
        return false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->confirmations == 0)
            s->sought[k] = s->ladders[k].load;
    s->is_confirming = true;
    s->confirmations++;
    return false;
}

/* Looks once for more than has been confirmed, if that is far from what it was to be. */
static bool looks_up(struct search *s)
{
    bool looks = false;
    for (enum load_kind k = 0; !s->has_looked_up && k < LOAD_KINDS; k++) {
        if (!s->is_searched[k] || s->ladders[k].load >= FAR_SHARE * s->sought[k])
            continue;
        ladder_look_up(&s->ladders[k], s->sought[k]);
        looks = true;
    }
    s->has_looked_up = true;
    s->is_confirming = !looks;
    return looks;
}

/*
 * Ends a confirmation: the loads are the answer, or it lowers those that broke the limit. Returns
 * true when the search is over.
 */
static bool confirm_answer(struct search *s)
{
    bool is_kept = true;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k] || s->noted.kinds[k].verdict == VERDICT_KEPT)
            continue;
        is_kept = false;
        ladder_step_down(&s->ladders[k], bound_of(s->noted.kinds[k].verdict));
    }
    if (is_kept && looks_up(s))
        return false;
    s->is_confirmed = is_kept;
    s->confirmations++;
    return is_kept || any_ladder_is(s, FOUND_NONE);
}

static void look_at_window(struct search *s, const struct standing *all, uint64_t now_ns,
                           struct order *order)
{
    feed_judges(s, all, now_ns);
    if (!is_known(s))
        return;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        s->decided[k] = verdict_of(s, k);
    order->move = MOVE_PAUSE;
}

void search_end_step(struct search *s, const struct standing *all, uint64_t paused_ns,
                     struct order *order)
{
    feed_last(s, all, paused_ns);
    note_verdicts(s, all->disturbed > 0);
    s->is_first = s->is_measuring = false;
    bool is_over = s->is_confirming ? confirm_answer(s) : climb_ladders(s);
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
    return is_kept || (s->is_first && judge_seems_kept(&rules, whole)) ? l->load : ladder_kept(l);
}

struct search_answer search_answer(const struct search *s, enum load_kind kind,
                                   const struct counts *whole)
{
    const struct ladder *l = &s->ladders[kind];
    enum verdict last = s->noted.kinds[kind].verdict;
    bool is_busy = l->bound == BOUND_BUSY && l->broken > 0;
    if (s->is_confirmed && l->found == FOUND_LOAD && is_busy)
        return (struct search_answer){FOUND_UNSURE, l->load, FOUND_BUSY};
    if (s->is_confirmed)
        return (struct search_answer){l->found, l->load, FOUND_BY_STEPS};
    if (l->found != FOUND_NONE) {
        double reached = search_reached(s, kind, whole);
        return (struct search_answer){FOUND_UNSURE, reached,
                                      reached <= 0 && is_busy ? FOUND_BUSY : FOUND_BY_STEPS};
    }
    if (is_busy)
        return (struct search_answer){FOUND_UNSURE, 0,
                                      s->is_no_cause ? FOUND_NO_CAUSE_BUSY : FOUND_BUSY};
    if (s->is_no_cause)
        return (struct search_answer){FOUND_NONE, 0, FOUND_NO_CAUSE};
    bool is_unsure = last == VERDICT_UNKNOWN || last == VERDICT_UNSETTLED;
    return (struct search_answer){is_unsure ? FOUND_UNSURE : FOUND_NONE, 0, FOUND_BY_STEPS};
}
