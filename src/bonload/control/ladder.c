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

/* Width of the interval at which the search ends. */
static double ladder_closeness(const struct ladder *l)
{
    double share = CLOSE_SHARE * l->kept;
    return l->is_whole && share < 1 ? 1 : share;
}

static void ladder_bisect(struct ladder *l)
{
    if (l->kept > 0 && l->broken - l->kept <= ladder_closeness(l)) {
        l->load = l->kept;
        l->found = FOUND_LOAD;
        return;
    }
    double middle = (l->kept + l->broken) / 2;
    l->load = l->is_whole ? fmax(1, floor(middle)) : middle;
}

void ladder_step(struct ladder *l, bool kept)
{
    if (!kept) {
        l->broken = l->load;
        if (l->load <= l->least)
            l->found = FOUND_NONE;
        else
            ladder_bisect(l);
        return;
    }
    l->kept = l->load;
    if (l->broken > 0) {
        ladder_bisect(l);
    } else if (l->load >= l->most) {
        l->found = FOUND_MOST;
    } else {
        l->load = fmin(2 * l->load, l->most);
    }
}

void ladder_step_down(struct ladder *l)
{
    double step = CLOSE_SHARE * l->load;
    l->found = FOUND_LOAD;
    l->broken = l->load;
    l->load -= l->is_whole ? fmax(1, floor(step)) : step;
    if (l->load < l->least) {
        l->found = FOUND_NONE;
        l->load = l->least;
    }
    l->kept = l->load;
}
