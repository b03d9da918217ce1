#include "bonload/control/ladder.h"

#include <math.h>

#define CLOSE_SHARE .05

/*
 * A search for a rate gives up when even this part of the first rate, 1/LEAST_PART, breaks the
 * limit.
 */
#define LEAST_PART 1024

void ladder_begin(struct ladder *l, double first, double most, bool is_whole)
{
    *l = (struct ladder){.is_whole = is_whole,
                         .most = most,
                         .load = first < most ? first : most,
                         .found = FOUND_UNSURE};
    l->least = is_whole ? 1 : first / LEAST_PART;
}

double ladder_kept(const struct ladder *l)
{
    return l->count > 0 ? l->kept[l->count - 1] : 0;
}

static void note_kept(struct ladder *l)
{
    if (l->load <= ladder_kept(l))
        return;
    l->count -= l->count == LADDER_KEPT; /* a full list keeps its last place for the highest */
    l->kept[l->count++] = l->load;
}

static void note_broken(struct ladder *l, enum bound bound)
{
    while (l->count > 0 && l->kept[l->count - 1] >= l->load)
        l->count--;
    l->broken = l->load;
    l->bound = bound;
}

/* Width of the interval at which the search ends. */
static double ladder_closeness(const struct ladder *l)
{
    double share = CLOSE_SHARE * ladder_kept(l);
    return l->is_whole && share < 1 ? 1 : share;
}

static void ladder_bisect(struct ladder *l)
{
    double kept = ladder_kept(l);
    bool is_close = kept > 0 && l->broken - kept <= ladder_closeness(l);
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

void ladder_step_up(struct ladder *l)
{
    note_kept(l);
    if (l->is_again) /* so that is no bound */
        l->broken = 0;
    l->is_again = false;
    if (l->broken > 0)
        ladder_bisect(l);
    else if (l->load >= l->most)
        l->found = FOUND_MOST;
    else
        l->load = fmin(2 * l->load, l->most);
}

void ladder_step_back(struct ladder *l, enum bound bound)
{
    bool went_down = bound == BOUND_SURE && l->count == 0 && !l->is_again;
    note_broken(l, went_down ? BOUND_DOUBTFUL : bound);
    if (l->load <= l->least)
        l->found = FOUND_NONE;
    else
        ladder_bisect(l);
}

void ladder_step_down(struct ladder *l, enum bound bound)
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

void ladder_look_up(struct ladder *l, double above)
{
    note_kept(l);
    l->broken = l->load = above;
    l->is_again = true;
    l->found = FOUND_UNSURE;
}
