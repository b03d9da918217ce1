// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/judge/search.h"

#include <math.h>

#define CLOSE_SHARE .05

/* A search for a rate gives up when even this part of the first rate, 1/LEAST_PART, breaks the
 * limit; where others use the machine, which less load does not change, already at 1/BUSY_PART. */
#define LEAST_PART 1024
#define BUSY_PART  16

void kind_search_begin(struct kind_search *ks, double first, double most, bool is_whole)
{
    *ks = (struct kind_search){.is_whole = is_whole,
                               .most = most,
                               .least = is_whole ? 1 : first / LEAST_PART,
                               .load = first < most ? first : most,
                               .found = FOUND_UNSURE};
}

double kind_search_kept(const struct kind_search *ks)
{
    return ks->count > 0 ? ks->kept[ks->count - 1] : 0;
}

static void note_kept(struct kind_search *ks)
{
    if (ks->load <= kind_search_kept(ks))
        return;
    ks->count -= ks->count == KIND_SEARCH_KEPT; /* the last place of a full list is the highest's */
    ks->kept[ks->count++] = ks->load;
}

static void note_broken(struct kind_search *ks, enum verdict why)
{
    while (ks->count > 0 && ks->kept[ks->count - 1] >= ks->load)
        ks->count--;
    ks->broken = ks->load;
    ks->why = why;
}

static void kind_search_bisect(struct kind_search *ks)
{
    double kept = kind_search_kept(ks);
    double closeness = fmax(CLOSE_SHARE * kept, ks->is_whole); /* where the search ends */
    bool is_close = kept > 0 && ks->broken - kept <= closeness;
    double middle = (kept + ks->broken) / 2;
    ks->is_again = is_close && verdict_is_doubtful(ks->why) && !ks->is_again;
    if (is_close && !ks->is_again) {
        ks->load = kept;
        ks->found = FOUND_LOAD;
    } else if (ks->is_again) {
        ks->load = ks->broken;
    } else {
        ks->load = ks->is_whole ? fmax(1, floor(middle)) : middle;
    }
}

void kind_search_step_up(struct kind_search *ks)
{
    note_kept(ks);
    if (ks->is_again) /* so that is no bound */
        ks->broken = 0;
    ks->is_again = false;
    if (ks->broken > 0)
        kind_search_bisect(ks);
    else if (ks->load >= ks->most)
        ks->found = FOUND_MOST;
    else
        ks->load = fmin(2 * ks->load, ks->most);
}

void kind_search_step_back(struct kind_search *ks, enum verdict why)
{
    bool went_down = !verdict_is_doubtful(why) && ks->count == 0 && !ks->is_again;
    bool is_idle = why != VERDICT_BUSY || ks->count > 0 || ks->is_whole;
    note_broken(ks, went_down ? VERDICT_UNSETTLED : why);
    if (ks->load <= ks->least * (is_idle ? 1 : LEAST_PART / BUSY_PART))
        ks->found = FOUND_NONE;
    else
        kind_search_bisect(ks);
}

void kind_search_step_down(struct kind_search *ks, enum verdict why)
{
    double step = CLOSE_SHARE * ks->load;
    note_broken(ks, why);
    ks->found = FOUND_LOAD;
    ks->load -= ks->is_whole ? fmax(1, floor(step)) : step;
    if (ks->load < ks->least) {
        ks->found = FOUND_NONE;
        ks->load = ks->least;
    }
}

/* A load settles for at least a window divided by SETTLING_PART, and at most, the first one for
 * SETTLING_LIMITS limits and a window, a later one for the longest window / SETTLING_WINDOWS. */
#define SETTLING_PART    10
#define SETTLING_LIMITS  20
#define SETTLING_WINDOWS 2

/* Less load does not help if at 1/HELP_PART of a load there are still more than 1/HELP_LEAST of the
 * late requests, and of the mean latency; but of a rate, MADE_SHARE must have been made. */
#define HELP_PART  8
#define HELP_LEAST 2
#define MADE_SHARE .9

#define ALPHA              .05 /* probability of a wrong verdict */
#define CONFIRMING_WINDOWS 3   /* a confirmation uses windows that are longer by this factor */
#define LATENCIES_LEAST    4   /* mean latencies in a window: requests in flight are one evidence */
#define STALL_PART         100 /* of the shortest window: stalls that the test always assumes */
#define BUDGET_PART        100 /* of a limited number of requests: is enough for a window */
#define FAR_SHARE          .9  /* a load is tried again if a confirmation goes below this part */
#define MAX_RATE           1e9 /* no bound: what the channels cannot do shows in the latency */

const char *const found_names[] = {[FOUND_LOAD] = "found",
                                   [FOUND_NONE] = "none",
                                   [FOUND_MOST] = "most",
                                   [FOUND_UNSURE] = "unsure"};

const char *const found_reasons[] = {
    [FOUND_BY_STEPS] = "",
    [FOUND_BUSY] = "others used the machine meanwhile",
    [FOUND_NO_CAUSE] = "less load does not help, so the load is not the cause",
    [FOUND_NO_CAUSE_BUSY] = "less load does not help, and others used the machine",
    [FOUND_FAILED] = "most of the requests failed",
    [FOUND_TOO_SHORT] = "the longest window (-window-max) was too short to tell",
};

/* Sets the next load, which begins to settle, after the pause between two steps. */
static void set_searched_loads(struct controller *c, const struct standing *all, uint64_t now_ns,
                               uint64_t loads[LOAD_KINDS])
{
    bool is_by_rate = c->plan->settings->search == SEARCH_RATE;
    c->stage_ns = now_ns;
    c->is_unsettled = all->busy > 0;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        double load = c->is_searched[k] ? c->kind_searches[k].load : 0;
        loads[k] = (uint64_t)(is_by_rate ? load * (double)BILLION : load);
        c->settled[k] = all->progress[k].begun + (is_by_rate ? 0 : loads[k]);
    }
}

static unsigned windows_of(const struct controller *c)
{
    return c->is_confirming ? CONFIRMING_WINDOWS : 1;
}

/* Divides the probability of a wrong verdict among confirmations: 1/2 + 1/6 + 1/12 + ... = 1. */
static struct sequential_test_rules rules_of(const struct controller *c)
{
    const struct plan *p = c->plan;
    double n = c->is_confirming ? c->confirmations : 0;
    return (struct sequential_test_rules){
        .limit = p->settings->limit,
        .counts_errors = p->settings->adjust_on_errors,
        .alpha = n > 0 ? ALPHA / (n * (n + 1)) : ALPHA,
        .stall_ns = p->settings->window_ns.value * windows_of(c) / STALL_PART,
        .most_ns = p->window_most_ns * windows_of(c),
    };
}

/* Tells the tests what has ended, and how much time has passed, since they were told last. */
static void feed_tests(struct controller *c, const struct standing *all, uint64_t passed_ns)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct progress *progress = &all->progress[k];
        const struct counts *now = &all->counts[k];
        const struct counts *seen = &c->seen[k];
        const struct counts ended = {
            .good = now->good - seen->good,
            .errors = now->errors - seen->errors,
            .good_ns = now->good_ns - seen->good_ns,
            .above = now->above - seen->above,
        };
        sequential_test_feed(&c->tests[k], &ended, passed_ns, progress->begun > progress->ended);
    }
    memcpy(c->seen, all->counts, sizeof c->seen);
}

/* A broken limit says nothing if requests of the previous load were still in flight. */
static enum verdict verdict_of(const struct controller *c, enum load_kind k)
{
    enum verdict verdict = sequential_test_verdict(&c->tests[k]);
    return c->is_unsettled && verdict == VERDICT_BROKEN ? VERDICT_UNSETTLED : verdict;
}

/* Whether the search needs the verdict on this kind at the current load. */
static bool is_asked(const struct controller *c, enum load_kind k)
{
    enum found found = c->kind_searches[k].found;
    return c->is_searched[k] && found != FOUND_NONE && (c->is_confirming || found == FOUND_UNSURE);
}

static bool any_search_is(const struct controller *c, enum found found)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (c->is_searched[k] && c->kind_searches[k].found == found)
            return true;
    return false;
}

/* Whether less load does not help. Asked of each load that breaks the limit before any keeps it. */
static bool helps_nothing(struct controller *c, enum load_kind k)
{
    const struct counts *seen = &c->tests[k].seen;
    struct broken_step *first = &c->broken[k];
    double ended = (double)(seen->good + seen->errors);
    const struct broken_step now = {
        .load = c->kind_searches[k].load,
        .late = (double)(seen->above + seen->errors) / fmax(1, ended),
        .mean_ns = (double)seen->good_ns / fmax(1, (double)seen->good),
    };
    double due = now.load * (double)c->tests[k].elapsed_ns / (double)BILLION;
    bool was_made = c->plan->settings->search != SEARCH_RATE || ended >= MADE_SHARE * due;
    /* where no request may be late, the first late one ends the load, and shares say nothing */
    if (c->plan->settings->limit.of == LIMIT_MAX || !was_made)
        return false;
    if (first->load <= 0)
        *first = now;
    return now.load * HELP_PART <= first->load && now.late * HELP_LEAST >= first->late &&
           now.mean_ns * HELP_LEAST >= first->mean_ns;
}

/* Moves to the next load. Returns true if the search is over: no load of a kind keeps the limit. */
static bool climb(struct controller *c)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        struct kind_search *ks = &c->kind_searches[k];
        enum verdict verdict = c->noted.kinds[k].verdict;
        if (!is_asked(c, k))
            continue;
        if (verdict == VERDICT_KEPT) {
            kind_search_step_up(ks);
            continue;
        }
        bool is_no_cause = verdict != VERDICT_UNSETTLED && ks->count == 0 && helps_nothing(c, k);
        c->is_no_cause |= is_no_cause;
        kind_search_step_back(ks, verdict);
        if (is_no_cause)
            ks->found = FOUND_NONE;
    }
    if (any_search_is(c, FOUND_NONE))
        return true;
    if (any_search_is(c, FOUND_UNSURE))
        return false;
    for (enum load_kind k = 0; c->confirmations == 0 && k < LOAD_KINDS; k++)
        c->sought[k] = c->kind_searches[k].load;
    c->is_confirming = true;
    c->confirmations++;
    return false;
}

/* Ends a confirmation: lowers what broke the limit. If all loads kept it, searches once above what
 * has been confirmed, if far below the first one. Returns true when the search is over. */
static bool confirm_answer(struct controller *c)
{
    bool is_kept = true;
    bool looks_up = false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!c->is_searched[k] || c->noted.kinds[k].verdict == VERDICT_KEPT)
            continue;
        is_kept = false;
        kind_search_step_down(&c->kind_searches[k], c->noted.kinds[k].verdict);
    }
    for (enum load_kind k = 0; is_kept && !c->has_looked_up && k < LOAD_KINDS; k++) {
        struct kind_search *ks = &c->kind_searches[k];
        if (!c->is_searched[k] || ks->load >= FAR_SHARE * c->sought[k])
            continue;
        note_kept(ks);
        ks->broken = ks->load = c->sought[k]; /* which kept the limit, and then broke it */
        ks->is_again = true;
        ks->found = FOUND_UNSURE;
        looks_up = true;
    }
    c->has_looked_up |= is_kept;
    if (looks_up) {
        c->is_confirming = false;
        return false;
    }
    c->is_confirmed = is_kept;
    c->confirmations++;
    return is_kept || any_search_is(c, FOUND_NONE);
}

/* Sets the next load, after a pause in which the last, longest requests of the window have ended;
 * those that have not count with its length. Returns false when the search is over. */
static bool search_next(struct controller *c, const struct standing *all, uint64_t paused_ns,
                        uint64_t now_ns, uint64_t loads[LOAD_KINDS])
{
    struct standing whole = *all;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        uint64_t left = all->busy > 0 ? all->progress[k].begun - all->progress[k].ended : 0;
        whole.counts[k].good += left;
        whole.counts[k].good_ns += left * paused_ns;
        if (paused_ns >= c->plan->settings->limit.nanoseconds)
            whole.counts[k].above += left;
    }
    feed_tests(c, &whole, 0);
    c->noted = (struct step){.is_confirmation = c->is_confirming};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct sequential_test *t = &c->tests[k];
        enum verdict verdict = c->decided[k];
        if (!c->is_searched[k])
            continue;
        bool is_broken = sequential_test_verdict(t) == VERDICT_BROKEN;
        if (verdict == VERDICT_KEPT && !sequential_test_seems_kept(&t->rules, &t->seen))
            verdict = is_broken ? VERDICT_BROKEN : VERDICT_UNKNOWN;
        bool is_failing = t->seen.errors > t->seen.good; /* which is not because of others */
        if (all->disturbed > 0 && !is_failing && verdict != VERDICT_KEPT && verdict != VERDICT_OPEN)
            verdict = VERDICT_BUSY;
        c->noted.kinds[k].load = c->kind_searches[k].load;
        c->noted.kinds[k].verdict = verdict;
    }
    c->is_first = c->is_measuring = false;
    if (c->is_confirming ? confirm_answer(c) : climb(c))
        return false;
    set_searched_loads(c, all, now_ns, loads);
    return true;
}

/* Begins a window when the load has settled: all requests of the previous load have ended, and
 * every channel has had a request of this load, or the time for that is over. */
static bool begin_window(struct controller *c, const struct standing *all, uint64_t now_ns)
{
    const struct plan *p = c->plan;
    const struct sequential_test_rules rules = rules_of(c);
    uint64_t window_ns = p->settings->window_ns.value;
    uint64_t least_ns = p->max_requests < UINT64_MAX ? 0 : window_ns / SETTLING_PART;
    uint64_t most_ns = c->is_first ? SETTLING_LIMITS * p->settings->limit.nanoseconds + window_ns
                                   : p->window_most_ns / SETTLING_WINDOWS;
    uint64_t elapsed_ns = now_ns - c->stage_ns;
    bool is_late = false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        is_late |= c->is_searched[k] && all->progress[k].ended < c->settled[k];
    if (elapsed_ns < least_ns || (is_late && elapsed_ns < most_ns))
        return false;
    c->is_unsettled |= is_late && !c->is_first;
    c->is_measuring = true;
    c->stage_ns = now_ns;
    memcpy(c->seen, all->counts, sizeof c->seen);
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        sequential_test_begin(&c->tests[k], &rules);
    return true;
}

/* Ends a window when all verdicts that matter are known, and it is as long as -window, and as
 * LATENCIES_LEAST mean latencies or the longest window; or has a part of a limited budget. */
static bool end_window(struct controller *c, const struct standing *all, uint64_t now_ns)
{
    uint64_t budget = c->plan->max_requests;
    uint64_t window_ns = c->plan->settings->window_ns.value * windows_of(c);
    /* all tests begin with the window, and are told the same time */
    feed_tests(c, all, now_ns - c->stage_ns - c->tests[LOAD_READ].elapsed_ns);
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct sequential_test *t = &c->tests[k];
        const struct counts *seen = &t->seen;
        uint64_t latencies_ns = seen->good > 0 ? LATENCIES_LEAST * (seen->good_ns / seen->good) : 0;
        bool has_latencies = t->elapsed_ns >= latencies_ns || t->elapsed_ns >= t->rules.most_ns;
        bool is_long = (t->elapsed_ns >= window_ns && has_latencies) ||
                       (budget < UINT64_MAX && seen->good + seen->errors >= budget / BUDGET_PART);
        if (is_asked(c, k) && (!is_long || verdict_of(c, k) == VERDICT_OPEN))
            return false;
    }
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        c->decided[k] = verdict_of(c, k);
    return true;
}

struct search_answer search_answer(const struct controller *c, enum load_kind kind,
                                   const struct counts *whole)
{
    const struct kind_search *ks = &c->kind_searches[kind];
    const struct sequential_test_rules rules = rules_of(c);
    enum verdict last = c->noted.kinds[kind].verdict;
    struct search_answer a = {.found = ks->found, .load = ks->load};
    bool is_busy = ks->why == VERDICT_BUSY && ks->broken > 0;
    if (c->is_confirmed) {
        is_busy &= ks->found == FOUND_LOAD;
    } else if (ks->found != FOUND_NONE) {
        /* the current load is known to keep the limit if its open window shows that */
        bool is_kept =
            (c->is_measuring && sequential_test_verdict(&c->tests[kind]) == VERDICT_KEPT) ||
            (c->is_first && sequential_test_seems_kept(&rules, whole));
        a.found = FOUND_UNSURE;
        a.load = is_kept ? ks->load : kind_search_kept(ks);
        is_busy &= a.load <= 0;
    } else {
        a.load = 0;
        a.why = c->is_no_cause            ? FOUND_NO_CAUSE
                : last == VERDICT_UNKNOWN ? FOUND_TOO_SHORT
                                          : FOUND_BY_STEPS;
        if (!c->is_no_cause && (last == VERDICT_UNKNOWN || last == VERDICT_UNSETTLED))
            a.found = FOUND_UNSURE;
    }
    if (is_busy) {
        a.found = FOUND_UNSURE;
        a.why = a.why == FOUND_NO_CAUSE ? FOUND_NO_CAUSE_BUSY : FOUND_BUSY;
    }
    return a;
}

/* One kind's share of a sweep's rate of reads and writes together. */
static uint64_t sweep_share(const struct plan *p, enum load_kind kind, size_t number)
{
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    return mul_div(p->settings->sweep[number], p->kinds[kind].rate, all);
}

/* Sets the next rate of a sweep. Returns false when there is none. */
static bool sweep_next(struct controller *c, uint64_t loads[LOAD_KINDS])
{
    size_t next = c->next_rate++;
    bool is_there = next < c->plan->settings->sweep_count;
    for (enum load_kind k = 0; is_there && k < LOAD_KINDS; k++)
        loads[k] = sweep_share(c->plan, k, next);
    return is_there;
}

void controller_begin(struct controller *c, const struct plan *p, uint64_t now_ns,
                      uint64_t loads[LOAD_KINDS])
{
    *c = (struct controller){.plan = p, .since_ns = now_ns, .is_first = true};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct kind_plan *kind = &p->kinds[k];
        bool is_by_rate = kind->pace == PACE_RATE;
        double first = is_by_rate ? (double)kind->rate / (double)BILLION : kind->threads;
        loads[k] = is_by_rate ? kind->rate : kind->threads;
        c->is_searched[k] = is_by_rate || kind->pace == PACE_CLOSED;
        if (c->is_searched[k])
            kind_search_begin(&c->kind_searches[k], first, is_by_rate ? MAX_RATE : kind->channels,
                              !is_by_rate);
    }
    if (p->mode == MODE_SEARCH)
        set_searched_loads(c, &(struct standing){.busy = 0}, now_ns, loads);
    else if (p->mode == MODE_SWEEP)
        sweep_next(c, loads);
}

void controller_decide(struct controller *c, const struct standing *all, uint64_t now_ns,
                       struct order *order)
{
    bool is_sweep = c->plan->mode == MODE_SWEEP;
    uint64_t passed_ns = now_ns - c->since_ns;
    *order = (struct order){.move = MOVE_NONE};
    if (all->behind > 0 || all->ended == plan_ranks(c->plan)) {
        order->move = MOVE_END;
    } else if (c->is_paused) {
        if (all->busy > 0 && passed_ns < MAX_PAUSE_NS)
            return;
        c->is_paused = false;
        c->since_ns = now_ns;
        bool goes_on = is_sweep ? sweep_next(c, order->loads)
                                : search_next(c, all, passed_ns, now_ns, order->loads);
        order->move = goes_on ? MOVE_STEP : MOVE_LAST_STEP;
    } else if (c->plan->mode == MODE_SEARCH && !c->is_measuring) {
        if (begin_window(c, all, now_ns))
            order->move = MOVE_WINDOW;
    } else if (is_sweep ? passed_ns >= c->plan->duration_ns
                        : c->plan->mode == MODE_SEARCH && end_window(c, all, now_ns)) {
        order->move = MOVE_PAUSE;
        c->is_paused = true;
        c->since_ns = now_ns;
    }
}

void controller_note(const struct controller *c, size_t number, struct step *step)
{
    bool is_sweep = c->plan->mode == MODE_SWEEP;
    step->is_confirmation = c->noted.is_confirmation;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        step->kinds[k].verdict = c->noted.kinds[k].verdict;
        step->kinds[k].load = is_sweep ? (double)sweep_share(c->plan, k, number) / (double)BILLION
                                       : c->noted.kinds[k].load;
    }
}
