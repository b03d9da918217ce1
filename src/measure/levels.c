// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/levels.h"

#include <math.h>

#include "util/units.h"

#define STEPS_OF_ALL (TRACK_ROOM / 4)

/* A pause is a stall if it takes at least STALL_NS, and STALL_TIMES as long as the average time
 * between two movements. A shorter pause belongs to the next step. */
#define STALL_NS    (BILLION / 2)
#define STALL_TIMES 10

#define SHORTEST_STEP_NS (BILLION / 200) /* a shorter one, as the last may be, has no speed */

/* The first level has at least this number of steps, and this share of all bytes. Just before and
 * after a fall, speeds must differ by this part of what the levels differ by. */
#define FEWEST_STEPS   3
#define SMALLEST_SHARE 100
#define SHARP          0.65

/* In the scatter, no step counts as more than e times as fast or as slow as the mean: a burst at
 * the beginning, or a pause, says little about the other steps. */
#define MAX_DEVIATION  1
#define LEAST_VARIANCE 1e-5 /* clocks and counters have some scatter, too */

#define LOBATO_95 45.4 /* 95 % quantile of the square of a mean, divided by its normaliser */

static bool is_step(const struct track *c, const struct track_point *from,
                    const struct track_point *to)
{
    return to->ns > from->ns &&
           (to->ns - from->ns >= c->step_ns || to->bytes - from->bytes >= c->step_bytes);
}

struct track_point *track_add(struct track *c, uint64_t ns, uint64_t bytes)
{
    const struct track_point now = {.ns = ns, .bytes = bytes};
    if (!is_step(c, &c->points[c->last], &now))
        return NULL;
    if (c->last == TRACK_ROOM - 2) { /* make room: the last place is for the end */
        size_t kept = 0;
        c->step_ns = c->points[c->last].ns / STEPS_OF_ALL;
        c->step_bytes = c->points[c->last].bytes / STEPS_OF_ALL + 1;
        for (size_t i = 1; i <= c->last; i++)
            if (is_step(c, &c->points[kept], &c->points[i]))
                c->points[++kept] = c->points[i];
        c->last = kept;
    }
    c->points[++c->last] = now;
    return &c->points[c->last];
}

uint64_t track_pause_ns(uint64_t elapsed_ns)
{
    return (uint64_t)fmin(fmax((double)elapsed_ns / 1000, BILLION / 100.0), BILLION / 4.0);
}

struct track_point *track_end(struct track *c, uint64_t ns, uint64_t bytes)
{
    while (c->last > 0 && c->points[c->last].ns >= ns)
        c->last--;
    c->points[++c->last] = (struct track_point){.ns = ns, .bytes = bytes};
    return &c->points[c->last];
}

struct search {
    const struct track *series;
    size_t count;
    size_t at[TRACK_ROOM];        /* for each step, the index of the point at its end; first: 0 */
    double sum[TRACK_ROOM];       /* sums of the steps' values, from the first one on */
    double least_ns;              /* a level lasts at least this long */
    size_t falls[MAX_LEVELS + 1]; /* the first step of each level, in order, and the end */
    unsigned levels;
};

static double mean_of(const struct search *s, size_t from, size_t to)
{
    return (s->sum[to] - s->sum[from]) / (double)(to - from);
}

static double deviation(const struct search *s, size_t step, double mean)
{
    return fmin(fmax(mean_of(s, step - 1, step) - mean, -MAX_DEVIATION), MAX_DEVIATION);
}

/* The variance of the values of these steps, as far as it matters for their mean. */
static double long_run_variance(const struct search *s, size_t from, size_t to)
{
    double mean = mean_of(s, from, to);
    double n = (double)(to - from);
    double all = 0, sum = 0, squares = 0;
    for (size_t i = from + 1; i <= to; i++)
        all += deviation(s, i, mean);
    for (size_t i = from + 1; i < to; i++) {
        sum += deviation(s, i, mean) - all / n;
        squares += sum * sum;
    }
    return fmax(6 * squares / (n * n), LEAST_VARIANCE);
}

static const struct track_point *point_after(const struct search *s, size_t step)
{
    return &s->series->points[s->at[step]];
}

static double rate_of(const struct search *s, size_t from, size_t to)
{
    const struct track_point *a = point_after(s, from);
    const struct track_point *b = point_after(s, to);
    return (double)(b->bytes - a->bytes) / (double)(b->ns - a->ns);
}

static size_t shorter_side(size_t from, size_t place, size_t to)
{
    return place - from < to - place ? place - from : to - place;
}

/* Whether the speed falls at `place`, as the steps up to `to` show, and stays low until `end`. */
static bool is_fall(const struct search *s, size_t from, size_t place, size_t to, size_t end)
{
    const struct track_point *middle = point_after(s, place);
    double upper = mean_of(s, from, place);
    double lower = mean_of(s, place, to);
    double fall = upper - lower;
    double variance = fmax(long_run_variance(s, from, place), long_run_variance(s, place, to));
    double explained = variance * (1 / (double)(place - from) + 1 / (double)(to - place));
    double most = (100 - LEVELS_FALL_PERCENT) / 100.0;
    uint64_t all = point_after(s, s->count)->bytes;
    size_t near = (size_t)fmax((double)shorter_side(from, place, to) / 3, FEWEST_STEPS);
    double drop = mean_of(s, place - near, place) - mean_of(s, place, place + near);
    for (size_t i = 0, n = end - place; i < 4; i++) /* no quarter of what follows rises again */
        if (mean_of(s, place + n * i / 4, place + n * (i + 1) / 4) > (upper + lower) / 2)
            return false;
    return fall * fall >= LEVELS_THRESHOLD * explained && fall >= -log(most) &&
           rate_of(s, place, to) <= most * rate_of(s, from, place) &&
           middle->bytes >= all / SMALLEST_SHARE && drop >= SHARP * fall &&
           (double)(point_after(s, to)->ns - middle->ns) >= s->least_ns &&
           (from == 0 || (double)(middle->ns - point_after(s, from)->ns) >= s->least_ns);
}

/* Finds falls between two steps, also those on either side of the first one that is found. */
static void find_falls(struct search *s, size_t from, size_t end)
{
    for (size_t window = end - from; s->levels < MAX_LEVELS && window >= 16; window /= 2) {
        /* two levels with the smallest sum of squares meet here */
        size_t to = from + window;
        size_t place = from + FEWEST_STEPS;
        double most = 0;
        for (size_t i = from + FEWEST_STEPS; i + FEWEST_STEPS <= to; i++) {
            double fall = mean_of(s, from, i) - mean_of(s, i, to);
            double gain = fall * fall * (double)(i - from) * (double)(to - i);
            if (fall > 0 && gain > most) {
                most = gain;
                place = i;
            }
        }
        if (!is_fall(s, from, place, to, end))
            continue;
        /* Bytes that are counted in lumps shift the place of the least squares: it moves to where
         * the series is farthest from the line between two steps near it, FEWEST_STEPS apart. */
        size_t near = (size_t)fmin((double)shorter_side(from, place, to) - FEWEST_STEPS, 40);
        const struct track_point *a = point_after(s, place - near);
        double rate = rate_of(s, place - near, place + near);
        most = 0;
        for (size_t i = place - near + 1, last = place + near; i < last; i++) {
            const struct track_point *p = point_after(s, i);
            double above = (double)(p->bytes - a->bytes) - rate * (double)(p->ns - a->ns);
            if (above > most) {
                most = above;
                place = i;
            }
        }
        find_falls(s, from, place);
        if (s->levels < MAX_LEVELS)
            s->falls[s->levels++] = place;
        find_falls(s, place, end);
        return;
    }
}

int levels_find(struct levels *levels, const struct track *c, struct err *e)
{
    *levels = (struct levels){0};
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "allocate memory for the levels of a time series");
    s->series = c;
    const struct track_point *from = &c->points[0];
    uint64_t moves = 1;
    for (size_t i = 1; i <= c->last; i++)
        moves += c->points[i].bytes > c->points[i - 1].bytes;
    uint64_t stall_ns = MAX(STALL_TIMES * (c->points[c->last].ns / moves), STALL_NS);
    for (size_t i = 1; i <= c->last; i++) {
        const struct track_point *to = &c->points[i];
        bool is_idle = to->bytes == from->bytes;
        if (to->ns - from->ns < (is_idle ? stall_ns : SHORTEST_STEP_NS))
            continue;  /* it is a part of the next step */
        if (is_idle) { /* a stall, which goes on as long as nothing moves */
            while (i < c->last && c->points[i + 1].bytes == from->bytes)
                i++;
            from = &c->points[i];
            continue;
        }
        double value = log((double)(to->bytes - from->bytes) / (double)(to->ns - from->ns));
        s->sum[s->count + 1] = s->sum[s->count] + value;
        s->at[++s->count] = i;
        from = to;
    }
    for (size_t i = s->at[s->count] + 1; i <= c->last; i++)
        if (c->points[i].bytes > c->points[i - 1].bytes)
            s->at[s->count] = i; /* what is left is too short for a step */
    s->least_ns = fmax((double)c->points[c->last].ns / LEVELS_SHORTEST_SHARE, LEVELS_SHORTEST_NS);
    s->levels = 1; /* begins with the first step */
    find_falls(s, 0, s->count);
    s->falls[s->levels] = s->count;
    levels->count = s->levels > 1 ? s->levels : 0;
    struct level *l = levels->list;
    for (unsigned i = 0; i < levels->count; i++) {
        /* the steps beside a fall belong to both levels, and do not count in the rates */
        size_t first = s->falls[i] + (i > 0);
        size_t end = s->falls[i + 1] - (i + 1 < s->levels);
        double half =
            sqrt(LOBATO_95 / 6 * long_run_variance(s, first, end) / (double)(end - first));
        l[i].rate = rate_of(s, first, end) * (double)BILLION;
        l[i].ci95[0] = l[i].rate * exp(-half);
        l[i].ci95[1] = l[i].rate * exp(half);
        l[i].from = *point_after(s, s->falls[i]);
        l[i].to = *point_after(s, s->falls[i + 1]);
        if (i == 0)
            continue;
        /* the lines of both levels meet between the points beside the step at which they do */
        const struct track_point *a = point_after(s, s->falls[i] - 1);
        const struct track_point *b = point_after(s, s->falls[i] + 1);
        double before = l[i - 1].rate / (double)BILLION;
        double after = l[i].rate / (double)BILLION;
        double ns = (double)(b->ns - a->ns);
        double bytes = (double)(b->bytes - a->bytes);
        double first_ns = fmin(fmax((bytes - after * ns) / (before - after), 0), ns);
        l[i].from.ns = a->ns + (uint64_t)first_ns;
        l[i].from.bytes = a->bytes + (uint64_t)fmin(first_ns * before, bytes);
        l[i - 1].to = l[i].from;
    }
    free(s);
    return 0;
}

void levels_words(struct label_text *words, const struct levels *levels, uint64_t operation_bytes)
{
    for (unsigned i = 0; i < levels->count; i++) {
        const struct level *l = &levels->list[i];
        const char *then = i > 0 ? " then " : "";
        const char *limit = l->limited_by && strcmp(l->limited_by, "unknown") ? l->limited_by : "";
        const struct units_text speed =
            operation_bytes > 0 ? units_scaled(l->rate / (double)operation_bytes, UNITS_COUNT)
                                : units_scaled(l->rate, UNITS_BYTES);
        if (i + 1 == levels->count)
            label_add(words, "%s%s/s%s%s%s.", then, speed.text, *limit ? " (limited by " : "",
                      limit, *limit ? ")" : "");
        else
            label_add(words, "%s%s/s for %s%s (%s%s%s);", then, speed.text,
                      i == 0 ? "the first " : "",
                      units_scaled((double)(l->to.bytes - l->from.bytes), UNITS_BYTES).text,
                      units_time(l->to.ns - l->from.ns).text, *limit ? "; limited by " : "", limit);
    }
}
