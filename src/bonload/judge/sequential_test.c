// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/judge/sequential_test.h"

#include <math.h>

#define MAX_ERROR_SHARE      .03
#define ENOUGH_FOR_MAX       1000
#define NARROW_SHARE         .025
#define BATCHES_LEAST        10 /* the variance of fewer batches is too uncertain */
#define EFFECT_BATCHES_LEAST 4
#define PIECES_LEAST         4   /* as a piece has only the mean of its requests */
#define BATCHES_EXPECTED     100 /* for which the interval of the mean is narrowest */
#define PRIOR_ABOVE          .5  /* the prior counts like so many requests above the limit */

/* With that prior and alpha .05, "kept" needs so many requests that of a limit that is just broken
 * ABOVE_EXPECTED would be above it: for assumed stalls, in 1/QUIET_PART of the longest window. */
#define ABOVE_EXPECTED 4.1
#define QUIET_PART     4

/* The limit is broken if no request in flight ends for SILENT_LIMITS limits and SILENT_LEAST ns. */
#define SILENT_LIMITS    10
#define SILENT_LEAST     UINT64_C(500000000)
#define FIRST_STRETCH_NS UINT64_C(250000000) /* first period that may show growing latencies */

const struct verdict_words verdict_words[] = {
    [VERDICT_OPEN] = {"open", "open"},
    [VERDICT_KEPT] = {"good", "good"},
    [VERDICT_BROKEN] = {"not good", "not_good"},
    [VERDICT_UNKNOWN] = {"not known", "not_known"},
    [VERDICT_UNSETTLED] = {"not ended", "not_ended"},
    [VERDICT_BUSY] = {"others", "others"},
};

void sequential_test_begin(struct sequential_test *t, const struct sequential_test_rules *rules)
{
    *t = (struct sequential_test){.rules = *rules,
                                  .trend = {.end_ns = FIRST_STRETCH_NS, .lowest = INFINITY}};
}

static void level_close(struct sequential_test_level *l, double batches, double mean)
{
    l->batches += batches;
    l->sum += batches * mean;
    l->squares += batches * mean * mean;
}

void sequential_test_feed(struct sequential_test *t, const struct counts *ended,
                          uint64_t elapsed_ns, bool in_flight)
{
    struct sequential_test_trend *trend = &t->trend;
    double limit_ns = (double)t->rules.limit.nanoseconds;
    double count = (double)ended->good;
    double sum =
        t->rules.limit.of == LIMIT_MEAN ? (double)ended->good_ns / limit_ns : (double)ended->above;
    t->seen.good += ended->good;
    t->seen.good_ns += ended->good_ns;
    t->seen.errors += ended->errors;
    t->seen.above += ended->above;
    t->elapsed_ns += elapsed_ns;
    t->silent_ns += in_flight && t->seen.good + t->seen.errors == 0 ? elapsed_ns : 0;
    if (count <= 0)
        return;
    t->pieces++;
    for (unsigned k = 0; k < JUDGE_LEVELS; k++) {
        struct sequential_test_level *l = &t->levels[k];
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
    trend->lowest = fmin(trend->lowest, (double)ended->good_ns / count);
    trend->highest = fmax(trend->highest, (double)ended->good_ns / count);
    if (t->elapsed_ns < trend->end_ns)
        return;
    trend->grows = trend->highest_early > 0 && trend->lowest > fmax(limit_ns, trend->highest_early);
    trend->highest_early = fmax(trend->highest_early, trend->highest_before);
    trend->highest_before = trend->highest;
    trend->highest = 0;
    trend->lowest = INFINITY;
    trend->end_ns *= 2;
}

static double level_variance(const struct sequential_test_level *l)
{
    double mean = l->sum / l->batches;
    return fmax(0, l->squares / l->batches - mean * mean) * l->batches / (l->batches - 1);
}

struct estimate sequential_test_mean(const struct sequential_test *t)
{
    double limit = (double)t->rules.limit.nanoseconds;
    double alpha = t->rules.alpha;
    double expected = -2 * log(alpha) + log(-2 * log(alpha)) + 1;
    struct estimate e = {.mean = (double)t->seen.good_ns / fmax(1, (double)t->seen.good)};
    if (t->levels[0].batches < BATCHES_LEAST || t->pieces < PIECES_LEAST)
        e.half_width = INFINITY;
    for (unsigned k = 0; k < JUDGE_LEVELS && t->levels[k].batches >= BATCHES_LEAST; k++) {
        double batches = t->levels[k].batches;
        double scaled = batches * expected / BATCHES_EXPECTED;
        /* half the width in standard errors: it holds for all looks together */
        double reach = sqrt(2 * (1 + 1 / scaled) * (log(scaled + 1) / 2 - log(alpha)));
        double error = sqrt(level_variance(&t->levels[k]) / batches) * limit;
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

double sequential_test_design_effect(const struct sequential_test *t)
{
    double count = (double)t->seen.good;
    double share = (double)t->seen.above / count;
    double independent = share * (1 - share);
    double most_ns =
        (double)t->rules.most_ns / QUIET_PART * (1 - t->rules.limit.percent / 100) / ABOVE_EXPECTED;
    double stall_ns = fmin((double)t->rules.stall_ns, most_ns);
    double effect = fmax(1, count * stall_ns / (double)(t->elapsed_ns + 1));
    for (unsigned k = 0; independent > 0 && k < JUDGE_LEVELS; k++) {
        const struct sequential_test_level *l = &t->levels[k];
        if (l->batches < EFFECT_BATCHES_LEAST)
            break;
        effect = fmax(effect, level_variance(l) * (double)(UINT64_C(1) << k) / independent);
    }
    return effect;
}

enum verdict sequential_test_verdict(const struct sequential_test *t)
{
    const struct counts *seen = &t->seen;
    double limit_ns = (double)t->rules.limit.nanoseconds;
    double all = (double)(seen->good + seen->errors);
    enum verdict errors = VERDICT_KEPT; /* until failures are too many, or may be */
    enum verdict verdict = VERDICT_OPEN;
    if (t->rules.counts_errors && (double)seen->errors > MAX_ERROR_SHARE * all)
        errors = verdict_of_share((double)seen->errors, all, MAX_ERROR_SHARE, t->rules.alpha);
    bool is_silent = t->silent_ns > SILENT_LIMITS * t->rules.limit.nanoseconds + SILENT_LEAST;
    if (errors == VERDICT_BROKEN || is_silent || t->trend.grows)
        return VERDICT_BROKEN;
    if (seen->good > 0 && t->rules.limit.of == LIMIT_MEAN) {
        struct estimate e = sequential_test_mean(t);
        if (fabs(e.mean - limit_ns) > e.half_width || 2 * e.half_width < NARROW_SHARE * limit_ns)
            verdict = e.mean > limit_ns ? VERDICT_BROKEN : VERDICT_KEPT;
    } else if (seen->good > 0 && t->rules.limit.of == LIMIT_MAX) {
        verdict = seen->above > 0                ? VERDICT_BROKEN
                  : seen->good >= ENOUGH_FOR_MAX ? VERDICT_KEPT
                                                 : VERDICT_OPEN;
    } else if (seen->good > 0) {
        double effect = sequential_test_design_effect(t);
        verdict = verdict_of_share((double)seen->above / effect, (double)seen->good / effect,
                                   1 - t->rules.limit.percent / 100, t->rules.alpha);
    }
    if (verdict == VERDICT_KEPT)
        verdict = errors;
    return verdict == VERDICT_OPEN && t->elapsed_ns >= t->rules.most_ns ? VERDICT_UNKNOWN : verdict;
}

bool sequential_test_seems_kept(const struct sequential_test_rules *r, const struct counts *seen)
{
    double all = (double)(seen->good + seen->errors);
    double allowed = r->limit.of == LIMIT_MAX ? 0 : 1 - r->limit.percent / 100;
    if (seen->good == 0 || (r->counts_errors && (double)seen->errors > MAX_ERROR_SHARE * all))
        return false;
    if (r->limit.of == LIMIT_MEAN)
        return seen->good_ns <= seen->good * r->limit.nanoseconds;
    return (double)seen->above <= allowed * (double)seen->good;
}
