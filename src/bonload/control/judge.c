#include "bonload/control/judge.h"

#include <math.h>

#define MOST_ERROR_SHARE .03
#define ENOUGH_FOR_MAX   1000
#define NARROW_SHARE     .025

/* The variance of fewer batches is too uncertain. */
#define BATCHES_LEAST        10
#define EFFECT_BATCHES_LEAST 4

/*
 * A piece has only the mean of its requests, so only several pieces show how much latencies vary.
 */
#define PIECES_LEAST 4

/* mean_reach() makes the interval of the mean narrowest for this number of batches. */
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

/*
 * The limit counts as broken if requests are in flight and none ends for SILENT_LIMITS limits and
 * SILENT_LEAST nanoseconds.
 */
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

void judge_begin(struct judge *j, const struct judge_rules *rules)
{
    *j = (struct judge){.rules = *rules, .trend = {.end_ns = FIRST_STRETCH_NS, .lowest = INFINITY}};
}

static void trend_add(struct judge_trend *t, double latency_ns, double limit_ns, uint64_t now_ns)
{
    t->lowest = fmin(t->lowest, latency_ns);
    t->highest = fmax(t->highest, latency_ns);
    if (now_ns < t->end_ns)
        return;
    t->grows = t->highest_early > 0 && t->lowest > fmax(limit_ns, t->highest_early);
    t->highest_early = fmax(t->highest_early, t->highest_before);
    t->highest_before = t->highest;
    t->highest = 0;
    t->lowest = INFINITY;
    t->end_ns *= 2;
}

static void level_close(struct judge_level *l, double batches, double mean)
{
    l->batches += batches;
    l->sum += batches * mean;
    l->squares += batches * mean * mean;
}

/* Adds `count` requests of value `each`, which may fill several batches of `size` requests. */
static void level_add(struct judge_level *l, double size, double count, double each)
{
    double room = size - l->open;
    if (count < room) {
        l->open += count;
        l->open_sum += count * each;
        return;
    }
    level_close(l, 1, (l->open_sum + room * each) / size);
    count -= room;
    double whole = floor(count / size);
    level_close(l, whole, each);
    l->open = count - whole * size;
    l->open_sum = l->open * each;
}

void judge_feed(struct judge *j, const struct counts *ended, uint64_t elapsed_ns, bool in_flight)
{
    double count = (double)ended->good;
    double sum = j->rules.limit.of == LIMIT_MEAN
                     ? (double)ended->good_ns / (double)j->rules.limit.nanoseconds
                     : (double)ended->above;
    for (unsigned k = 0; count > 0 && k < JUDGE_LEVELS; k++)
        level_add(&j->levels[k], (double)(UINT64_C(1) << k), count, sum / count);
    j->seen.good += ended->good;
    j->seen.good_ns += ended->good_ns;
    j->seen.errors += ended->errors;
    j->seen.above += ended->above;
    j->elapsed_ns += elapsed_ns;
    j->pieces += count > 0;
    j->silent_ns += in_flight && j->seen.good + j->seen.errors == 0 ? elapsed_ns : 0;
    if (count > 0)
        trend_add(&j->trend, (double)ended->good_ns / count, (double)j->rules.limit.nanoseconds,
                  j->elapsed_ns);
}

static double level_variance(const struct judge_level *l)
{
    double mean = l->sum / l->batches;
    return fmax(0, l->squares / l->batches - mean * mean) * l->batches / (l->batches - 1);
}

/* ---- the mean -------------------------------------------------------------------------------- */

/*
 * Half the width of the mean's interval, in standard errors, such that the interval holds for all
 * looks together.
 */
static double mean_reach(double alpha, double batches)
{
    double expected = -2 * log(alpha) + log(-2 * log(alpha)) + 1;
    double scaled = batches * expected / BATCHES_EXPECTED;
    double reach = sqrt(2 * (1 + 1 / scaled) * (log(scaled + 1) / 2 - log(alpha)));
    return reach * (1 + 4 / batches); /* the deviation is only an estimate: Student's tails */
}

struct estimate judge_mean(const struct judge *j)
{
    double limit = (double)j->rules.limit.nanoseconds;
    struct estimate e = {.mean = (double)j->seen.good_ns / fmax(1, (double)j->seen.good)};
    if (j->levels[0].batches < BATCHES_LEAST || j->pieces < PIECES_LEAST)
        e.half_width = INFINITY;
    for (unsigned k = 0; k < JUDGE_LEVELS && j->levels[k].batches >= BATCHES_LEAST; k++) {
        const struct judge_level *l = &j->levels[k];
        double deviation = sqrt(level_variance(l) / l->batches) * limit;
        e.half_width = fmax(e.half_width, mean_reach(j->rules.alpha, l->batches) * deviation);
    }
    return e;
}

static enum verdict verdict_of_mean(const struct judge *j)
{
    double limit = (double)j->rules.limit.nanoseconds;
    struct estimate e = judge_mean(j);
    bool is_known = fabs(e.mean - limit) > e.half_width || 2 * e.half_width < NARROW_SHARE * limit;
    if (!is_known)
        return VERDICT_OPEN;
    return e.mean > limit ? VERDICT_BROKEN : VERDICT_KEPT;
}

/* ---- a share --------------------------------------------------------------------------------- */

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

static double judge_allowed(const struct judge *j)
{
    return 1 - j->rules.limit.percent / 100;
}

double judge_design_effect(const struct judge *j)
{
    double count = (double)j->seen.good;
    double share = (double)j->seen.above / count;
    double independent = share * (1 - share);
    double most_ns = (double)j->rules.most_ns / QUIET_PART * judge_allowed(j) / ABOVE_EXPECTED;
    double stall_ns = fmin((double)j->rules.stall_ns, most_ns);
    double effect = fmax(1, count * stall_ns / (double)(j->elapsed_ns + 1));
    for (unsigned k = 0; independent > 0 && k < JUDGE_LEVELS; k++) {
        const struct judge_level *l = &j->levels[k];
        if (l->batches < EFFECT_BATCHES_LEAST)
            break;
        effect = fmax(effect, level_variance(l) * (double)(UINT64_C(1) << k) / independent);
    }
    return effect;
}

static enum verdict verdict_of_percentile(const struct judge *j)
{
    double effect = judge_design_effect(j);
    return verdict_of_share((double)j->seen.above / effect, (double)j->seen.good / effect,
                            judge_allowed(j), j->rules.alpha);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static enum verdict verdict_of_max(const struct judge *j)
{
    if (j->seen.above > 0)
        return VERDICT_BROKEN;
    return j->seen.good >= ENOUGH_FOR_MAX ? VERDICT_KEPT : VERDICT_OPEN;
}

/*
 * The verdict on failures. A limit counts as kept only when it is known that failures are few
 * enough.
 */
static enum verdict verdict_of_errors(const struct judge *j)
{
    double errors = (double)j->seen.errors;
    double all = errors + (double)j->seen.good;
    if (!j->rules.counts_errors || errors <= MOST_ERROR_SHARE * all)
        return VERDICT_KEPT;
    return verdict_of_share(errors, all, MOST_ERROR_SHARE, j->rules.alpha);
}

static bool judge_hears_nothing(const struct judge *j)
{
    return j->silent_ns > SILENT_LIMITS * j->rules.limit.nanoseconds + SILENT_LEAST;
}

enum verdict judge_verdict(const struct judge *j)
{
    enum verdict errors = verdict_of_errors(j);
    enum verdict verdict = VERDICT_OPEN;
    if (errors == VERDICT_BROKEN || judge_hears_nothing(j) || j->trend.grows)
        return VERDICT_BROKEN;
    if (j->seen.good > 0)
        verdict = j->rules.limit.of == LIMIT_MEAN  ? verdict_of_mean(j)
                  : j->rules.limit.of == LIMIT_MAX ? verdict_of_max(j)
                                                   : verdict_of_percentile(j);
    if (verdict == VERDICT_KEPT)
        verdict = errors;
    return verdict == VERDICT_OPEN && j->elapsed_ns >= j->rules.most_ns ? VERDICT_UNKNOWN : verdict;
}

bool judge_seems_kept(const struct judge_rules *rules, const struct counts *seen)
{
    double all = (double)(seen->good + seen->errors);
    double allowed = rules->limit.of == LIMIT_MAX ? 0 : 1 - rules->limit.percent / 100;
    if (seen->good == 0 || (rules->counts_errors && (double)seen->errors > MOST_ERROR_SHARE * all))
        return false;
    if (rules->limit.of == LIMIT_MEAN)
        return seen->good_ns <= seen->good * rules->limit.nanoseconds;
    return (double)seen->above <= allowed * (double)seen->good;
}
