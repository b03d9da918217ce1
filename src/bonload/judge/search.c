// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/judge/search.h"

#include <math.h>
#include <string.h>

#include "sync/coordinator.h"
#include "util/units.h"

#define MOST_ERROR_SHARE .03
#define ENOUGH_FOR_MAX   1000
#define NARROW_SHARE     .025

/* The variance of fewer batches is too uncertain. */
#define BATCHES_LEAST        10
#define EFFECT_BATCHES_LEAST 4

/* A piece has only the mean of its requests: only several show how much latencies vary. */
#define PIECES_LEAST 4

/* The interval of the mean is narrowest for this number of batches. */
#define BATCHES_EXPECTED 100

/* Weight of the prior: it counts like this many requests above the limit. */
#define PRIOR_ABOVE .5

/*
 * With that prior and alpha .05, the verdict "kept" needs so many requests that a limit that is
 * just broken would let ABOVE_EXPECTED of them be above it. Assumed stalls may make this wait only
 * 1/QUIET_PART of the longest window.
 */
#define ABOVE_EXPECTED 4.1
#define QUIET_PART     4

/* The limit is broken if no request in flight ends for SILENT_LIMITS limits and SILENT_LEAST ns. */
#define SILENT_LIMITS 10
#define SILENT_LEAST  UINT64_C(500000000)

/* Length of the first period that is examined for growing latencies. */
#define FIRST_STRETCH_NS UINT64_C(250000000)

const char *const verdict_names[] = {[VERDICT_OPEN] = "open",
                                     [VERDICT_KEPT] = "kept",
                                     [VERDICT_BROKEN] = "broken",
                                     [VERDICT_UNKNOWN] = "not known",
                                     [VERDICT_UNSETTLED] = "not settled",
                                     [VERDICT_BUSY] = "busy"};

void sequential_test_begin(struct sequential_test *j, const struct sequential_test_rules *rules)
{
    *j = (struct sequential_test){.rules = *rules,
                                  .trend = {.end_ns = FIRST_STRETCH_NS, .lowest = INFINITY}};
}

static void level_close(struct sequential_test_level *l, double batches, double mean)
{
    l->batches += batches;
    l->sum += batches * mean;
    l->squares += batches * mean * mean;
}

void sequential_test_feed(struct sequential_test *j, const struct counts *ended,
                          uint64_t elapsed_ns, bool in_flight)
{
    struct sequential_test_trend *t = &j->trend;
    double limit_ns = (double)j->rules.limit.nanoseconds;
    double count = (double)ended->good;
    double sum =
        j->rules.limit.of == LIMIT_MEAN ? (double)ended->good_ns / limit_ns : (double)ended->above;
    j->seen.good += ended->good;
    j->seen.good_ns += ended->good_ns;
    j->seen.errors += ended->errors;
    j->seen.above += ended->above;
    j->elapsed_ns += elapsed_ns;
    j->silent_ns += in_flight && j->seen.good + j->seen.errors == 0 ? elapsed_ns : 0;
    if (count <= 0)
        return;
    j->pieces++;
    for (unsigned k = 0; k < JUDGE_LEVELS; k++) {
        struct sequential_test_level *l = &j->levels[k];
        double size = (double)(UINT64_C(1) << k);
        double each = sum / count;
        double room = size - l->open;
        if (count < room) {
            l->open += count;
            l->open_sum += count * each;
            continue;
        }
        double whole = floor((count - room) / size); /* batches that this piece fills alone */
        level_close(l, 1, (l->open_sum + room * each) / size);
        level_close(l, whole, each);
        l->open = count - room - whole * size;
        l->open_sum = l->open * each;
    }
    t->lowest = fmin(t->lowest, (double)ended->good_ns / count);
    t->highest = fmax(t->highest, (double)ended->good_ns / count);
    if (j->elapsed_ns < t->end_ns)
        return;
    t->grows = t->highest_early > 0 && t->lowest > fmax(limit_ns, t->highest_early);
    t->highest_early = fmax(t->highest_early, t->highest_before);
    t->highest_before = t->highest;
    t->highest = 0;
    t->lowest = INFINITY;
    t->end_ns *= 2;
}

static double level_variance(const struct sequential_test_level *l)
{
    double mean = l->sum / l->batches;
    return fmax(0, l->squares / l->batches - mean * mean) * l->batches / (l->batches - 1);
}

struct estimate sequential_test_mean(const struct sequential_test *j)
{
    double limit = (double)j->rules.limit.nanoseconds;
    double alpha = j->rules.alpha;
    double expected = -2 * log(alpha) + log(-2 * log(alpha)) + 1;
    struct estimate e = {.mean = (double)j->seen.good_ns / fmax(1, (double)j->seen.good)};
    if (j->levels[0].batches < BATCHES_LEAST || j->pieces < PIECES_LEAST)
        e.half_width = INFINITY;
    for (unsigned k = 0; k < JUDGE_LEVELS && j->levels[k].batches >= BATCHES_LEAST; k++) {
        double batches = j->levels[k].batches;
        double scaled = batches * expected / BATCHES_EXPECTED;
        /* half the width in standard errors: it holds for all looks together */
        double reach = sqrt(2 * (1 + 1 / scaled) * (log(scaled + 1) / 2 - log(alpha)));
        double error = sqrt(level_variance(&j->levels[k]) / batches) * limit;
        /* which is only an estimate: Student's tails */
        e.half_width = fmax(e.half_width, reach * (1 + 4 / batches) * error);
    }
    return e;
}

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* Whether a share of independent requests is above or below the allowed one. */
static enum verdict verdict_of_share(double above, double count, double allowed, double alpha)
{
    double prior_below = PRIOR_ABOVE * (1 - allowed) / allowed;
    double mixture = log_beta(above + PRIOR_ABOVE, count - above + prior_below) -
                     log_beta(PRIOR_ABOVE, prior_below);
    double likelihood = above * log(allowed) + (count - above) * log1p(-allowed);
    if (mixture - likelihood < -log(alpha))
        return VERDICT_OPEN;
    return above > allowed * count ? VERDICT_BROKEN : VERDICT_KEPT;
}

double sequential_test_design_effect(const struct sequential_test *j)
{
    double count = (double)j->seen.good;
    double share = (double)j->seen.above / count;
    double independent = share * (1 - share);
    double most_ns =
        (double)j->rules.most_ns / QUIET_PART * (1 - j->rules.limit.percent / 100) / ABOVE_EXPECTED;
    double stall_ns = fmin((double)j->rules.stall_ns, most_ns);
    double effect = fmax(1, count * stall_ns / (double)(j->elapsed_ns + 1));
    for (unsigned k = 0; independent > 0 && k < JUDGE_LEVELS; k++) {
        const struct sequential_test_level *l = &j->levels[k];
        if (l->batches < EFFECT_BATCHES_LEAST)
            break;
        effect = fmax(effect, level_variance(l) * (double)(UINT64_C(1) << k) / independent);
    }
    return effect;
}

enum verdict sequential_test_verdict(const struct sequential_test *j)
{
    const struct counts *seen = &j->seen;
    double limit_ns = (double)j->rules.limit.nanoseconds;
    double all = (double)(seen->good + seen->errors);
    enum verdict errors = VERDICT_KEPT; /* until failures are too many, or may be */
    enum verdict verdict = VERDICT_OPEN;
    if (j->rules.counts_errors && (double)seen->errors > MOST_ERROR_SHARE * all)
        errors = verdict_of_share((double)seen->errors, all, MOST_ERROR_SHARE, j->rules.alpha);
    bool is_silent = j->silent_ns > SILENT_LIMITS * j->rules.limit.nanoseconds + SILENT_LEAST;
    if (errors == VERDICT_BROKEN || is_silent || j->trend.grows)
        return VERDICT_BROKEN;
    if (seen->good > 0 && j->rules.limit.of == LIMIT_MEAN) {
        struct estimate e = sequential_test_mean(j);
        if (fabs(e.mean - limit_ns) > e.half_width || 2 * e.half_width < NARROW_SHARE * limit_ns)
            verdict = e.mean > limit_ns ? VERDICT_BROKEN : VERDICT_KEPT;
    } else if (seen->good > 0 && j->rules.limit.of == LIMIT_MAX) {
        verdict = seen->above > 0                ? VERDICT_BROKEN
                  : seen->good >= ENOUGH_FOR_MAX ? VERDICT_KEPT
                                                 : VERDICT_OPEN;
    } else if (seen->good > 0) {
        double effect = sequential_test_design_effect(j);
        verdict = verdict_of_share((double)seen->above / effect, (double)seen->good / effect,
                                   1 - j->rules.limit.percent / 100, j->rules.alpha);
    }
    if (verdict == VERDICT_KEPT)
        verdict = errors;
    return verdict == VERDICT_OPEN && j->elapsed_ns >= j->rules.most_ns ? VERDICT_UNKNOWN : verdict;
}

bool sequential_test_seems_kept(const struct sequential_test_rules *rules,
                                const struct counts *seen)
{
    double all = (double)(seen->good + seen->errors);
    double allowed = rules->limit.of == LIMIT_MAX ? 0 : 1 - rules->limit.percent / 100;
    if (seen->good == 0 || (rules->counts_errors && (double)seen->errors > MOST_ERROR_SHARE * all))
        return false;
    if (rules->limit.of == LIMIT_MEAN)
        return seen->good_ns <= seen->good * rules->limit.nanoseconds;
    return (double)seen->above <= allowed * (double)seen->good;
}

#define CLOSE_SHARE .05

/*
 * A search for a rate gives up when even this part of the first rate, 1/LEAST_PART, breaks the
 * limit; where others use the machine, which less load does not change, already at 1/BUSY_PART.
 */
#define LEAST_PART 1024
#define BUSY_PART  16

void kind_search_begin(struct kind_search *l, double first, double most, bool is_whole)
{
    *l = (struct kind_search){.is_whole = is_whole,
                              .most = most,
                              .least = is_whole ? 1 : first / LEAST_PART,
                              .load = first < most ? first : most,
                              .found = FOUND_UNSURE};
}

double kind_search_kept(const struct kind_search *l)
{
    return l->count > 0 ? l->kept[l->count - 1] : 0;
}

static void note_kept(struct kind_search *l)
{
    if (l->load <= kind_search_kept(l))
        return;
    l->count -= l->count == KIND_SEARCH_KEPT; /* a full list keeps its last place for the highest */
    l->kept[l->count++] = l->load;
}

static void note_broken(struct kind_search *l, enum bound bound)
{
    while (l->count > 0 && l->kept[l->count - 1] >= l->load)
        l->count--;
    l->broken = l->load;
    l->bound = bound;
}

static void kind_search_bisect(struct kind_search *l)
{
    double kept = kind_search_kept(l);
    double closeness = fmax(CLOSE_SHARE * kept, l->is_whole); /* where the search ends */
    bool is_close = kept > 0 && l->broken - kept <= closeness;
    double middle = (kept + l->broken) / 2;
    l->is_again = is_close && l->bound != BOUND_SURE && !l->is_again;
    if (is_close && !l->is_again) {
        l->load = kept;
        l->found = FOUND_LOAD;
    } else if (l->is_again) {
        l->load = l->broken;
    } else {
        l->load = l->is_whole ? fmax(1, floor(middle)) : middle;
    }
}

void kind_search_step_up(struct kind_search *l)
{
    note_kept(l);
    if (l->is_again) /* so that is no bound */
        l->broken = 0;
    l->is_again = false;
    if (l->broken > 0)
        kind_search_bisect(l);
    else if (l->load >= l->most)
        l->found = FOUND_MOST;
    else
        l->load = fmin(2 * l->load, l->most);
}

void kind_search_step_back(struct kind_search *l, enum bound bound)
{
    bool went_down = bound == BOUND_SURE && l->count == 0 && !l->is_again;
    bool is_idle = bound != BOUND_BUSY || l->count > 0 || l->is_whole;
    note_broken(l, went_down ? BOUND_DOUBTFUL : bound);
    if (l->load <= l->least * (is_idle ? 1 : LEAST_PART / BUSY_PART))
        l->found = FOUND_NONE;
    else
        kind_search_bisect(l);
}

void kind_search_step_down(struct kind_search *l, enum bound bound)
{
    double step = CLOSE_SHARE * l->load;
    note_broken(l, bound);
    l->found = FOUND_LOAD;
    l->load -= l->is_whole ? fmax(1, floor(step)) : step;
    if (l->load < l->least) {
        l->found = FOUND_NONE;
        l->load = l->least;
    }
}

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

/* The test assumes stalls of the shortest window divided by this, even if it sees none. */
#define STALL_PART 100

/* If the number of requests is limited, 1/BUDGET_PART of it is enough for a window. */
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

/* If a confirmation goes below this share of a load, the search tries that load again. */
#define FAR_SHARE .9

/* The search has no upper bound on a rate: what the channels cannot do shows in the latency. */
#define MOST_RATE 1e9

const char *const found_names[] = {[FOUND_LOAD] = "found",
                                   [FOUND_NONE] = "none",
                                   [FOUND_MOST] = "most",
                                   [FOUND_UNSURE] = "unsure"};

const char *const found_reasons[] = {
    [FOUND_BY_STEPS] = "",
    [FOUND_BUSY] = "others used the machine meanwhile",
    [FOUND_NO_CAUSE] = "less load does not help, so the load is not the cause",
    [FOUND_NO_CAUSE_BUSY] = "less load does not help, and others used the machine",
};

static bool search_is_by_rate(const struct search *s)
{
    return s->plan->settings->search == SEARCH_RATE;
}

/* Sets the next load, which begins to settle, after the pause between two steps. */
static void set_searched_loads(struct search *s, const struct standing *all, uint64_t now_ns,
                               uint64_t loads[LOAD_KINDS])
{
    bool is_by_rate = search_is_by_rate(s);
    s->stage_ns = now_ns;
    s->is_unsettled = all->busy > 0;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        double load = s->is_searched[k] ? s->kind_searches[k].load : 0;
        loads[k] = (uint64_t)(is_by_rate ? load * (double)BILLION : load);
        s->settled[k] = all->progress[k].begun + (is_by_rate ? 0 : loads[k]);
    }
}

/* Number of windows that a load gets: more when it is a confirmation. */
static unsigned windows_of(const struct search *s)
{
    return s->is_confirming ? CONFIRMING_WINDOWS : 1;
}

/* Divides the probability of a wrong verdict among confirmations: 1/2 + 1/6 + 1/12 + ... = 1. */
static struct sequential_test_rules rules_of(const struct search *s)
{
    const struct plan *p = s->plan;
    double n = s->is_confirming ? s->confirmations : 0;
    return (struct sequential_test_rules){
        .limit = p->settings->limit,
        .counts_errors = p->settings->adjust_on_errors,
        .alpha = n > 0 ? ALPHA / (n * (n + 1)) : ALPHA,
        .stall_ns = p->settings->window_ns.value * windows_of(s) / STALL_PART,
        .most_ns = p->window_most_ns * windows_of(s),
    };
}

/* Tells the tests what has ended, and how much time has passed, since they were told last. */
static void feed_tests(struct search *s, const struct standing *all, uint64_t passed_ns)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct progress *progress = &all->progress[k];
        const struct counts *now = &all->counts[k];
        const struct counts *seen = &s->seen[k];
        const struct counts ended = {
            .good = now->good - seen->good,
            .errors = now->errors - seen->errors,
            .good_ns = now->good_ns - seen->good_ns,
            .above = now->above - seen->above,
        };
        sequential_test_feed(&s->tests[k], &ended, passed_ns, progress->begun > progress->ended);
    }
    memcpy(s->seen, all->counts, sizeof s->seen);
}

/* A broken limit says nothing if requests of the previous load were still in flight. */
static enum verdict verdict_of(const struct search *s, enum load_kind k)
{
    enum verdict verdict = sequential_test_verdict(&s->tests[k]);
    return s->is_unsettled && verdict == VERDICT_BROKEN ? VERDICT_UNSETTLED : verdict;
}

/* Whether the search needs the verdict on this kind at the current load. */
static bool is_asked(const struct search *s, enum load_kind k)
{
    const struct kind_search *l = &s->kind_searches[k];
    return s->is_searched[k] && l->found != FOUND_NONE &&
           (s->is_confirming || l->found == FOUND_UNSURE);
}

static bool any_search_is(const struct search *s, enum found found)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->is_searched[k] && s->kind_searches[k].found == found)
            return true;
    return false;
}

static enum bound bound_of(enum verdict verdict)
{
    return verdict == VERDICT_BUSY        ? BOUND_BUSY
           : verdict == VERDICT_UNSETTLED ? BOUND_DOUBTFUL
                                          : BOUND_SURE;
}

/* Whether less load does not help. Asked of each load that breaks the limit before any keeps it. */
static bool helps_nothing(struct search *s, enum load_kind k)
{
    const struct counts *seen = &s->tests[k].seen;
    struct broken_step *first = &s->broken[k];
    double ended = (double)(seen->good + seen->errors);
    const struct broken_step now = {
        .load = s->kind_searches[k].load,
        .late = (double)(seen->above + seen->errors) / fmax(1, ended),
        .mean_ns = (double)seen->good_ns / fmax(1, (double)seen->good),
    };
    double due = now.load * (double)s->tests[k].elapsed_ns / (double)BILLION;
    bool was_made = !search_is_by_rate(s) || ended >= MADE_SHARE * due;
    /* where no request may be late, the first late one ends the load, and shares say nothing */
    if (s->plan->settings->limit.of == LIMIT_MAX || !was_made)
        return false;
    if (first->load <= 0)
        *first = now;
    return now.load * HELP_PART <= first->load && now.late * HELP_LEAST >= first->late &&
           now.mean_ns * HELP_LEAST >= first->mean_ns;
}

/* Moves to the next load. Returns true if the search is over: no load of a kind keeps the limit. */
static bool climb(struct search *s)
{
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        struct kind_search *l = &s->kind_searches[k];
        enum verdict verdict = s->noted.kinds[k].verdict;
        if (!is_asked(s, k))
            continue;
        if (verdict == VERDICT_KEPT) {
            kind_search_step_up(l);
            continue;
        }
        bool is_no_cause =
            verdict != VERDICT_UNSETTLED && kind_search_kept(l) <= 0 && helps_nothing(s, k);
        s->is_no_cause |= is_no_cause;
        kind_search_step_back(l, bound_of(verdict));
        if (is_no_cause)
            l->found = FOUND_NONE;
    }
    if (any_search_is(s, FOUND_NONE))
        return true;
    if (any_search_is(s, FOUND_UNSURE))
        return false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        if (s->confirmations == 0)
            s->sought[k] = s->kind_searches[k].load;
    s->is_confirming = true;
    s->confirmations++;
    return false;
}

/*
 * Ends a confirmation: lowers what broke the limit. If all loads kept it, searches once above what
 * has been confirmed, where that is far below the first confirmation. Returns true when the search
 * is over.
 */
static bool confirm_answer(struct search *s)
{
    bool is_kept = true;
    bool looks_up = false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        if (!s->is_searched[k] || s->noted.kinds[k].verdict == VERDICT_KEPT)
            continue;
        is_kept = false;
        kind_search_step_down(&s->kind_searches[k], bound_of(s->noted.kinds[k].verdict));
    }
    for (enum load_kind k = 0; is_kept && !s->has_looked_up && k < LOAD_KINDS; k++) {
        struct kind_search *l = &s->kind_searches[k];
        if (!s->is_searched[k] || l->load >= FAR_SHARE * s->sought[k])
            continue;
        note_kept(l);
        l->broken = l->load = s->sought[k]; /* which kept the limit, and then broke it */
        l->is_again = true;
        l->found = FOUND_UNSURE;
        looks_up = true;
    }
    s->has_looked_up |= is_kept;
    if (looks_up) {
        s->is_confirming = false;
        return false;
    }
    s->is_confirmed = is_kept;
    s->confirmations++;
    return is_kept || any_search_is(s, FOUND_NONE);
}

/*
 * Sets the next load, after a pause of `paused_ns` in which the last requests of the window have
 * ended: without these, a window lacks its longest requests. Those that have not ended count with
 * their age. Returns false when the search is over.
 */
static bool search_next(struct search *s, const struct standing *all, uint64_t paused_ns,
                        uint64_t now_ns, uint64_t loads[LOAD_KINDS])
{
    struct standing whole = *all;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        uint64_t left = all->busy > 0 ? all->progress[k].begun - all->progress[k].ended : 0;
        whole.counts[k].good += left;
        whole.counts[k].good_ns += left * paused_ns;
        if (paused_ns >= s->plan->settings->limit.nanoseconds)
            whole.counts[k].above += left;
    }
    feed_tests(s, &whole, 0);
    s->noted = (struct step){.is_confirmation = s->is_confirming};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct sequential_test *j = &s->tests[k];
        enum verdict verdict = s->decided[k];
        if (!s->is_searched[k])
            continue;
        if (verdict == VERDICT_KEPT && !sequential_test_seems_kept(&j->rules, &j->seen))
            verdict =
                sequential_test_verdict(j) == VERDICT_BROKEN ? VERDICT_BROKEN : VERDICT_UNKNOWN;
        if (all->disturbed > 0 && verdict != VERDICT_KEPT && verdict != VERDICT_OPEN)
            verdict = VERDICT_BUSY;
        s->noted.kinds[k].load = s->kind_searches[k].load;
        s->noted.kinds[k].verdict = verdict;
    }
    s->is_first = s->is_measuring = false;
    if (s->is_confirming ? confirm_answer(s) : climb(s))
        return false;
    set_searched_loads(s, all, now_ns, loads);
    return true;
}

/*
 * Begins a window when the load has settled: all requests of the previous load have ended, and
 * every channel has had a request of this load, or the time for that is over.
 */
static bool begin_window(struct search *s, const struct standing *all, uint64_t now_ns)
{
    const struct plan *p = s->plan;
    const struct sequential_test_rules rules = rules_of(s);
    uint64_t window_ns = p->settings->window_ns.value;
    uint64_t limit_ns = p->settings->limit.nanoseconds;
    uint64_t least_ns = p->max_requests < UINT64_MAX ? 0 : window_ns / SETTLING_PART;
    uint64_t most_ns =
        s->is_first ? SETTLING_LIMITS * limit_ns + window_ns : p->window_most_ns / SETTLING_WINDOWS;
    uint64_t elapsed_ns = now_ns - s->stage_ns;
    bool is_late = false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        is_late |= s->is_searched[k] && all->progress[k].ended < s->settled[k];
    if (elapsed_ns < least_ns || (is_late && elapsed_ns < most_ns))
        return false;
    s->is_unsettled |= is_late && !s->is_first;
    s->is_measuring = true;
    s->stage_ns = now_ns;
    memcpy(s->seen, all->counts, sizeof s->seen);
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        sequential_test_begin(&s->tests[k], &rules);
    return true;
}

/*
 * Ends a window when all verdicts that matter are known, and it is long enough: as long as -window,
 * and as LATENCIES_LEAST mean latencies or the longest window. If the user limits the number of
 * requests, a part of them is enough.
 */
static bool end_window(struct search *s, const struct standing *all, uint64_t now_ns)
{
    uint64_t budget = s->plan->max_requests;
    uint64_t window_ns = s->plan->settings->window_ns.value * windows_of(s);
    /* all tests begin with the window, and are told the same time */
    feed_tests(s, all, now_ns - s->stage_ns - s->tests[LOAD_READ].elapsed_ns);
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct sequential_test *j = &s->tests[k];
        const struct counts *seen = &j->seen;
        uint64_t latencies_ns = seen->good > 0 ? LATENCIES_LEAST * (seen->good_ns / seen->good) : 0;
        bool has_latencies = j->elapsed_ns >= latencies_ns || j->elapsed_ns >= j->rules.most_ns;
        bool is_long = (j->elapsed_ns >= window_ns && has_latencies) ||
                       (budget < UINT64_MAX && seen->good + seen->errors >= budget / BUDGET_PART);
        if (is_asked(s, k) && (!is_long || verdict_of(s, k) == VERDICT_OPEN))
            return false;
    }
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        s->decided[k] = verdict_of(s, k);
    return true;
}

struct search_answer search_answer(const struct search *s, enum load_kind kind,
                                   const struct counts *whole)
{
    const struct kind_search *l = &s->kind_searches[kind];
    const struct sequential_test_rules rules = rules_of(s);
    enum verdict last = s->noted.kinds[kind].verdict;
    bool is_busy = l->bound == BOUND_BUSY && l->broken > 0;
    if (s->is_confirmed && l->found == FOUND_LOAD && is_busy)
        return (struct search_answer){FOUND_UNSURE, l->load, FOUND_BUSY};
    if (s->is_confirmed)
        return (struct search_answer){l->found, l->load, FOUND_BY_STEPS};
    if (l->found != FOUND_NONE) {
        /* the current load is known to keep the limit if its open window shows that */
        bool is_kept =
            (s->is_measuring && sequential_test_verdict(&s->tests[kind]) == VERDICT_KEPT) ||
            (s->is_first && sequential_test_seems_kept(&rules, whole));
        double reached = is_kept ? l->load : kind_search_kept(l);
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

/* ---- the controller -------------------------------------------------------------------------- */

/* One kind's share of a sweep's rate of reads and writes together. */
static uint64_t sweep_share(const struct plan *p, enum load_kind kind, size_t number)
{
    uint64_t all = p->kinds[LOAD_READ].rate + p->kinds[LOAD_WRITE].rate;
    return mul_div(p->settings->sweep[number], p->kinds[kind].rate, all);
}

/* Sets the next rate of a sweep. Returns false when there is none. */
static bool sweep_next(struct controller *s, uint64_t loads[LOAD_KINDS])
{
    if (s->next_rate == s->plan->settings->sweep_count)
        return false;
    for (enum load_kind k = 0; k < LOAD_KINDS; k++)
        loads[k] = sweep_share(s->plan, k, s->next_rate);
    s->next_rate++;
    return true;
}

void controller_begin(struct controller *s, const struct plan *p, uint64_t now_ns,
                      uint64_t loads[LOAD_KINDS])
{
    const struct standing nothing = {.busy = 0};
    struct search *search = &s->search;
    *s =
        (struct controller){.plan = p, .since_ns = now_ns, .search = {.plan = p, .is_first = true}};
    for (enum load_kind k = 0; k < LOAD_KINDS; k++) {
        const struct kind_plan *kind = &p->kinds[k];
        bool is_by_rate = kind->pace == PACE_RATE;
        double first = is_by_rate ? (double)kind->rate / (double)BILLION : kind->threads;
        loads[k] = is_by_rate ? kind->rate : kind->threads;
        search->is_searched[k] = is_by_rate || kind->pace == PACE_CLOSED;
        if (search->is_searched[k])
            kind_search_begin(&search->kind_searches[k], first,
                              is_by_rate ? MOST_RATE : kind->channels, !is_by_rate);
    }
    if (p->mode == MODE_SEARCH)
        set_searched_loads(search, &nothing, now_ns, loads);
    else if (p->mode == MODE_SWEEP)
        sweep_next(s, loads);
}

void controller_decide(struct controller *s, const struct standing *all, uint64_t now_ns,
                       struct order *order)
{
    bool is_sweep = s->plan->mode == MODE_SWEEP;
    uint64_t passed_ns = now_ns - s->since_ns;
    *order = (struct order){.move = MOVE_NONE};
    if (all->behind > 0 || all->ended == plan_ranks(s->plan)) {
        order->move = MOVE_END;
    } else if (s->is_paused) {
        if (all->busy > 0 && passed_ns < LONGEST_PAUSE_NS)
            return;
        s->is_paused = false;
        s->since_ns = now_ns;
        bool goes_on = is_sweep ? sweep_next(s, order->loads)
                                : search_next(&s->search, all, passed_ns, now_ns, order->loads);
        order->move = goes_on ? MOVE_STEP : MOVE_LAST_STEP;
    } else if (s->plan->mode == MODE_SEARCH && !s->search.is_measuring) {
        if (begin_window(&s->search, all, now_ns))
            order->move = MOVE_WINDOW;
    } else if (is_sweep ? passed_ns >= s->plan->duration_ns
                        : s->plan->mode == MODE_SEARCH && end_window(&s->search, all, now_ns)) {
        order->move = MOVE_PAUSE;
        s->is_paused = true;
        s->since_ns = now_ns;
    }
}

/* What a meeting of all ranks about the load needs. */
struct look {
    struct controller *controller;
    uint64_t now_ns;
    struct standing all;
    struct order *order;
};

static bool take_standing(void *context, unsigned rank, struct bundle_reader *in)
{
    struct look *l = context;
    struct standing *all = &l->all;
    struct standing one;
    if (rank == 0) /* comes first */
        return bundle_take(in, all, sizeof *all);
    if (!bundle_take(in, &one, sizeof one))
        return false;
    all->busy += one.busy;
    all->ended += one.ended;
    all->behind += one.behind;
    return true;
}

static void decide_order(void *context)
{
    struct look *l = context;
    controller_decide(l->controller, &l->all, l->now_ns, l->order);
}

int controller_meet(struct controller *s, struct coordinator *c, const struct standing *mine,
                    uint64_t now_ns, struct order *order, struct err *e)
{
    struct look look = {.controller = s, .now_ns = now_ns, .order = order};
    struct meeting all = {.name = "Looking at the load",
                          .take = take_standing,
                          .decide = decide_order,
                          .context = &look,
                          .answer = order,
                          .answer_bytes = sizeof *order};
    bundle_put(&all.mine, mine, sizeof *mine);
    *order = (struct order){.move = MOVE_NONE};
    return coordinator_meet(c, &all, e);
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
