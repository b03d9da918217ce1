#include "bonload/judge.h"

#include <math.h>

#define MOST_ERROR_SHARE .03
#define LEAST_REQUESTS   30 /* before their share of failures is looked at */
#define ENOUGH_ABOVE     100
#define ENOUGH_FOR_MAX   1000
#define NARROW_SHARE     .025
#define BATCHES_LEAST    10
#define FIRST_BATCHES    20   /* in the least length of a window */
#define Z95              1.96 /* of the normal distribution: 95 % lie within +-1.96 */

/* A batch shorter than this number of mean latencies depends too much on the one before it. */
#define BATCH_LATENCIES 2

/* Nothing ends for this number of limits: that is broken, too. */
#define SILENT_LIMITS 10

const char *const verdict_names[] = {
    [VERDICT_OPEN] = "open", [VERDICT_KEPT] = "kept", [VERDICT_BROKEN] = "broken"};

void judge_begin(struct judge *j, const struct latency_limit *limit, bool counts_errors,
                 uint64_t window_ns)
{
    *j = (struct judge){.limit = *limit, .counts_errors = counts_errors};
    j->batch_ns = window_ns / FIRST_BATCHES + 1;
}

/* Makes one batch of every two. */
static void halve(struct batch *list, unsigned *count)
{
    unsigned half = *count / 2;
    for (unsigned i = 0; i < half; i++) {
        list[i].count = list[2 * i].count + list[2 * i + 1].count;
        list[i].sum_ns = list[2 * i].sum_ns + list[2 * i + 1].sum_ns;
    }
    *count = half;
}

void judge_feed(struct judge *j, const struct counts *ended, uint64_t elapsed_ns)
{
    struct batch *open = &j->list[j->batches];
    open->count += ended->good;
    open->sum_ns += ended->good_ns;
    j->seen.good += ended->good;
    j->seen.good_ns += ended->good_ns;
    j->seen.errors += ended->errors;
    j->seen.above += ended->above;
    j->elapsed_ns += elapsed_ns;
    j->open_ns += elapsed_ns;
    if (j->open_ns < j->batch_ns)
        return;
    j->open_ns = 0;
    if (++j->batches == BATCHES_MOST) {
        halve(j->list, &j->batches);
        j->batch_ns *= 2;
    }
    j->list[j->batches] = (struct batch){0};
}

/* The quantile of Student's distribution for a 95 % interval, to within 0.5 % from 9 degrees on. */
static double student95(unsigned degrees)
{
    return Z95 + 2.72 / degrees;
}

struct estimate judge_mean(const struct judge *j)
{
    struct judge copy = *j;
    double sum = 0;
    double count = 0;
    double squares = 0;
    double length = (double)j->batch_ns;
    double overall = j->seen.good > 0 ? (double)j->seen.good_ns / (double)j->seen.good : 0;
    for (; length < BATCH_LATENCIES * overall && copy.batches >= BATCHES_LEAST; length *= 2)
        halve(copy.list, &copy.batches);
    if (copy.batches < BATCHES_LEAST)
        return (struct estimate){overall, INFINITY};
    for (unsigned i = 0; i < copy.batches; i++) {
        sum += (double)copy.list[i].sum_ns;
        count += (double)copy.list[i].count;
    }
    if (count < 1)
        return (struct estimate){0, INFINITY};
    double mean = sum / count;
    for (unsigned i = 0; i < copy.batches; i++) {
        double off = (double)copy.list[i].sum_ns - mean * (double)copy.list[i].count;
        squares += off * off;
    }
    double n = copy.batches;
    double deviation = sqrt(squares * n / (n - 1)) / count;
    return (struct estimate){mean, student95(copy.batches - 1) * deviation};
}

static enum verdict of_mean(const struct judge *j)
{
    double limit = (double)j->limit.nanoseconds;
    struct estimate e = judge_mean(j);
    bool is_known = fabs(e.mean - limit) > e.half_width || 2 * e.half_width < NARROW_SHARE * limit;
    if (!is_known)
        return VERDICT_OPEN;
    return e.mean > limit ? VERDICT_BROKEN : VERDICT_KEPT;
}

static enum verdict of_percentile(const struct judge *j)
{
    double n = (double)j->seen.good;
    double above = (double)j->seen.above;
    double allowed = 1 - j->limit.percent / 100;
    if (n < 1)
        return VERDICT_OPEN;
    double share = above / n;
    double scale = 1 + Z95 * Z95 / n;
    double middle = (share + Z95 * Z95 / (2 * n)) / scale;
    double half = Z95 * sqrt(share * (1 - share) / n + Z95 * Z95 / (4 * n * n)) / scale;
    if (middle - half > allowed)
        return VERDICT_BROKEN;
    if (middle + half < allowed)
        return VERDICT_KEPT;
    if (j->seen.above >= ENOUGH_ABOVE)
        return share > allowed ? VERDICT_BROKEN : VERDICT_KEPT;
    return VERDICT_OPEN;
}

static enum verdict of_max(const struct judge *j)
{
    if (j->seen.above > 0)
        return VERDICT_BROKEN;
    return j->seen.good >= ENOUGH_FOR_MAX ? VERDICT_KEPT : VERDICT_OPEN;
}

static bool fails_too_often(const struct judge *j)
{
    uint64_t all = j->seen.good + j->seen.errors;
    return j->counts_errors && all >= LEAST_REQUESTS &&
           (double)j->seen.errors > MOST_ERROR_SHARE * (double)all;
}

enum verdict judge_verdict(const struct judge *j)
{
    if (fails_too_often(j))
        return VERDICT_BROKEN;
    if (j->seen.good == 0)
        return j->elapsed_ns > SILENT_LIMITS * j->limit.nanoseconds + 10 * j->batch_ns
                   ? VERDICT_BROKEN
                   : VERDICT_OPEN;
    if (j->limit.of == LIMIT_MEAN)
        return of_mean(j);
    return j->limit.of == LIMIT_MAX ? of_max(j) : of_percentile(j);
}
