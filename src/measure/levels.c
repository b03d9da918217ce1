// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/levels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define STEPS_OF_ALL (TRACK_ROOM / 4)

/*
 * Nothing moved for at least this time, and this number of times as long as it mostly takes until
 * something moves: a stall. A shorter pause belongs to the next step.
 */
#define STALL_NS    (BILLION / 2)
#define STALL_TIMES 10

/* A shorter step, as the last one may be, has no speed. */
#define SHORTEST_STEP_NS (BILLION / 200)

/* The first level has at least this number of steps, and this share of all bytes. */
#define FEWEST_STEPS   3
#define SMALLEST_SHARE 100

/* Near a fall, this part of the difference between the levels must be seen. */
#define SHARP 0.65

/* Less scatter than this is not believed: clocks and counters have some, too. */
#define LEAST_VARIANCE 1e-5

/* 95 % quantile of the square of a mean, divided by its normaliser (Lobato). */
#define LOBATO_95 45.4

static bool is_step(const struct track *c, const struct track_point *from,
                    const struct track_point *to)
{
    return to->ns > from->ns &&
           (to->ns - from->ns >= c->step_ns || to->bytes - from->bytes >= c->step_bytes);
}

static void make_room(struct track *c)
{
    size_t kept = 0;
    c->step_ns = c->points[c->last].ns / STEPS_OF_ALL;
    c->step_bytes = c->points[c->last].bytes / STEPS_OF_ALL + 1;
    for (size_t i = 1; i <= c->last; i++)
        if (is_step(c, &c->points[kept], &c->points[i]))
            c->points[++kept] = c->points[i];
    c->last = kept;
}

struct track_point *track_add(struct track *c, uint64_t ns, uint64_t bytes)
{
    const struct track_point now = {.ns = ns, .bytes = bytes};
    if (!is_step(c, &c->points[c->last], &now))
        return NULL;
    if (c->last == TRACK_ROOM - 2) /* the last place is that of the end */
        make_room(c);
    c->points[++c->last] = now;
    return &c->points[c->last];
}

uint64_t track_pause_ns(uint64_t elapsed_ns)
{
    uint64_t pause_ns = elapsed_ns / 1000;
    return pause_ns < BILLION / 100 ? BILLION / 100
           : pause_ns < BILLION / 4 ? pause_ns
                                    : BILLION / 4;
}

struct track_point *track_end(struct track *c, uint64_t ns, uint64_t bytes)
{
    while (c->last > 0 && c->points[c->last].ns >= ns)
        c->last--;
    c->points[++c->last] = (struct track_point){.ns = ns, .bytes = bytes};
    return &c->points[c->last];
}

/* The steps of a course in which something moved. */
struct search {
    const struct track *course;
    size_t count;
    size_t at[TRACK_ROOM];         /* for each step, the index of the point at its end; first: 0 */
    double sum[TRACK_ROOM];        /* sums of the steps' values, from the first one on */
    double least_ns;               /* a level lasts at least this long */
    size_t falls[LEVELS_MOST + 1]; /* the first step of each level, in order, and the end */
    unsigned levels;
};

static uint64_t shortest_stall_ns(const struct track *c)
{
    uint64_t moves = 1;
    for (size_t i = 1; i <= c->last; i++)
        moves += c->points[i].bytes > c->points[i - 1].bytes;
    uint64_t stall_ns = STALL_TIMES * (c->points[c->last].ns / moves);
    return stall_ns > STALL_NS ? stall_ns : STALL_NS;
}

static void take_steps(struct search *s, const struct track *c)
{
    const struct track_point *from = &c->points[0];
    uint64_t stall_ns = shortest_stall_ns(c);
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
}

static double mean_of(const struct search *s, size_t from, size_t to)
{
    return (s->sum[to] - s->sum[from]) / (double)(to - from);
}

/* The variance of the values of these steps, as far as it matters for their mean. */
static double long_run_variance(const struct search *s, size_t from, size_t to)
{
    double mean = mean_of(s, from, to);
    double n = (double)(to - from);
    double squares = 0;
    for (size_t i = from + 1; i < to; i++) {
        double deviation = s->sum[i] - s->sum[from] - (double)(i - from) * mean;
        squares += deviation * deviation;
    }
    return fmax(6 * squares / (n * n), LEAST_VARIANCE);
}

static const struct track_point *point_after(const struct search *s, size_t step)
{
    return &s->course->points[s->at[step]];
}

static double rate_of(const struct search *s, size_t from, size_t to)
{
    const struct track_point *a = point_after(s, from);
    const struct track_point *b = point_after(s, to);
    return (double)(b->bytes - a->bytes) / (double)(b->ns - a->ns);
}

/* Where two levels with the smallest sum of squares meet. */
static size_t best_place(const struct search *s, size_t from, size_t to)
{
    size_t best = from + FEWEST_STEPS;
    double most = 0;
    for (size_t i = from + FEWEST_STEPS; i + FEWEST_STEPS <= to; i++) {
        double fall = mean_of(s, from, i) - mean_of(s, i, to);
        double gain = fall * fall * (double)(i - from) * (double)(to - i);
        if (fall > 0 && gain > most) {
            most = gain;
            best = i;
        }
    }
    return best;
}

static bool lasts(const struct search *s, size_t from, size_t to)
{
    return (double)(point_after(s, to)->ns - point_after(s, from)->ns) >= s->least_ns;
}

/* Whether all quarters of what follows stay below the middle of both levels. */
static bool is_for_good(const struct search *s, size_t place, size_t end, double middle)
{
    size_t n = end - place;
    for (size_t i = 0; i < 4; i++)
        if (mean_of(s, place + n * i / 4, place + n * (i + 1) / 4) > middle)
            return false;
    return true;
}

static bool is_sharp(const struct search *s, size_t from, size_t place, size_t to, double fall)
{
    size_t shorter = place - from < to - place ? place - from : to - place;
    size_t near = shorter / 3 > FEWEST_STEPS ? shorter / 3 : FEWEST_STEPS;
    return mean_of(s, place - near, place) - mean_of(s, place, place + near) >= SHARP * fall;
}

/* Whether the speed falls at `place`, in the steps up to `to`, and stays low until `end`. */
static bool is_fall(const struct search *s, size_t from, size_t place, size_t to, size_t end)
{
    double upper = mean_of(s, from, place);
    double lower = mean_of(s, place, to);
    double fall = upper - lower;
    double variance = fmax(long_run_variance(s, from, place), long_run_variance(s, place, to));
    double explained = variance * (1 / (double)(place - from) + 1 / (double)(to - place));
    double most = (100 - LEVELS_FALL_PERCENT) / 100.0;
    uint64_t all = point_after(s, s->count)->bytes;
    return fall * fall >= LEVELS_THRESHOLD * explained && fall >= -log(most) &&
           rate_of(s, place, to) <= most * rate_of(s, from, place) &&
           point_after(s, place)->bytes >= all / SMALLEST_SHARE && lasts(s, place, to) &&
           (from == 0 || lasts(s, from, place)) && is_sharp(s, from, place, to, fall) &&
           is_for_good(s, place, end, (upper + lower) / 2);
}

/*
 * Moves the place of a fall to where the course is farthest from the line between two steps near
 * it: bytes that are counted in lumps shift the place of the least squares.
 */
static size_t sharpen(const struct search *s, size_t from, size_t place, size_t to)
{
    size_t shorter = place - from < to - place ? place - from : to - place;
    size_t near = shorter < 40 ? shorter : 40;
    const struct track_point *a = point_after(s, place - near);
    double rate = rate_of(s, place - near, place + near);
    double most = 0;
    for (size_t i = place - near + 1, last = place + near; i < last; i++) {
        const struct track_point *p = point_after(s, i);
        double above = (double)(p->bytes - a->bytes) - rate * (double)(p->ns - a->ns);
        if (above > most) {
            most = above;
            place = i;
        }
    }
    return place;
}

/* Finds falls between two steps, also those on either side of the first one that is found. */
static void find_falls(struct search *s, size_t from, size_t end)
{
    for (size_t window = end - from; s->levels < LEVELS_MOST && window >= 16; window /= 2) {
        size_t place = best_place(s, from, from + window);
        if (!is_fall(s, from, place, from + window, end))
            continue;
        find_falls(s, from, place);
        if (s->levels < LEVELS_MOST)
            s->falls[s->levels++] = sharpen(s, from, place, from + window);
        find_falls(s, place, end);
        return;
    }
}

/* Where the lines of two levels meet, between the points beside the step at which they do. */
static struct track_point meeting_point(const struct search *s, size_t place, double before,
                                        double after)
{
    const struct track_point *a = point_after(s, place - 1);
    const struct track_point *b = point_after(s, place + 1);
    double ns = (double)(b->ns - a->ns);
    double first = ((double)(b->bytes - a->bytes) - after * ns) / (before - after);
    double share = fmin(fmax(first / ns, 0), 1);
    struct track_point p = *point_after(s, place);
    p.ns = a->ns + (uint64_t)(share * ns);
    p.bytes = a->bytes + (uint64_t)(fmin(share * ns * before, (double)(b->bytes - a->bytes)));
    return p;
}

/* Describes a level. The steps beside a fall belong to both levels, and are left out if they can.
 */
static void describe(struct search *s, unsigned i, struct level *l)
{
    size_t from = s->falls[i];
    size_t to = s->falls[i + 1];
    size_t inner_from = from + (i > 0);
    size_t inner_to = to - (i + 1 < s->levels);
    double n = (double)(inner_to - inner_from);
    double variance = long_run_variance(s, inner_from, inner_to) / 6;
    double half = sqrt(LOBATO_95 * variance / n);
    l->rate = rate_of(s, inner_from, inner_to) * (double)BILLION;
    l->ci95[0] = l->rate * exp(-half);
    l->ci95[1] = l->rate * exp(half);
    l->from = *point_after(s, from);
    l->to = *point_after(s, to);
}

static void describe_all(struct search *s, struct levels *levels)
{
    struct level *l = levels->list;
    levels->count = s->levels;
    for (unsigned i = 0; i < s->levels; i++)
        describe(s, i, &l[i]);
    for (unsigned i = 0; i + 1 < s->levels; i++) {
        l[i].to = meeting_point(s, s->falls[i + 1], l[i].rate / (double)BILLION,
                                l[i + 1].rate / (double)BILLION);
        l[i + 1].from = l[i].to;
    }
}

int levels_find(struct levels *levels, const struct track *c, struct err *e)
{
    *levels = (struct levels){0};
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return err_system(e, ENOMEM, "memory for the levels of a course");
    s->course = c;
    take_steps(s, c);
    double share = (double)c->points[c->last].ns / LEVELS_SHORTEST_SHARE;
    s->least_ns = fmax(share, (double)LEVELS_SHORTEST_NS);
    s->levels = 1; /* begins with the first step */
    find_falls(s, 0, s->count);
    s->falls[s->levels] = s->count;
    if (s->levels > 1)
        describe_all(s, levels);
    free(s);
    return 0;
}

static void speed_words(char text[static UNITS_TEXT], double rate, uint64_t operation_bytes)
{
    if (operation_bytes > 0)
        snprintf(text, UNITS_TEXT, "%.0f/s", rate / (double)operation_bytes);
    else if (rate >= (double)GIB)
        snprintf(text, UNITS_TEXT, "%.2f GiB/s", rate / (double)GIB);
    else
        snprintf(text, UNITS_TEXT, "%.1f MiB/s", rate / (double)MIB);
}

void levels_words(char text[static LEVELS_TEXT], const struct levels *levels,
                  uint64_t operation_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < levels->count; i++) {
        const struct level *l = &levels->list[i];
        bool is_last = i + 1 == levels->count;
        bool is_known = l->limited_by && strcmp(l->limited_by, "unknown") != 0;
        char speed[UNITS_TEXT];
        char bytes[UNITS_TEXT];
        char extent[3 * UNITS_TEXT] = "";
        char limit[UNITS_TEXT] = "";
        speed_words(speed, l->rate, operation_bytes);
        units_format_readable(bytes, l->to.bytes - l->from.bytes);
        if (!is_last)
            snprintf(extent, sizeof extent, " for %s%s (%s%s", i == 0 ? "the first " : "", bytes,
                     units_time(l->to.ns - l->from.ns).text, is_known ? "; " : ");");
        if (is_known)
            snprintf(limit, sizeof limit, "%slimited by %s)%s", is_last ? " (" : "", l->limited_by,
                     is_last ? "" : ";");
        used += (size_t)snprintf(text + used, LEVELS_TEXT - used, "%s%s%s%s%s",
                                 i > 0 ? " then " : "", speed, extent, limit, is_last ? "." : "");
    }
}

struct device_use level_device(const struct level *l)
{
    double ns = (double)(l->to.ns - l->from.ns);
    return (struct device_use){
        .known = l->to.busy_ns > 0,
        .read_bytes = l->to.read_bytes - l->from.read_bytes,
        .written_bytes = l->to.written_bytes - l->from.written_bytes,
        .busy_percent =
            ns > 0 ? fmin(100 * (double)(l->to.busy_ns - l->from.busy_ns) / ns, 100) : 0,
    };
}
