#include "measure/steady.h"

#include <math.h>

/* The place of a round in a window, relative to the middle: -2, -1, 0, 1, 2. */
static double place_of(unsigned round)
{
    return (double)round - (STEADY_WINDOW - 1) / 2.0;
}

/* Slope of the least-squares line: sum(x y) / sum(x x), where x is the place of a round. */
static double slope_of(const double figures[static STEADY_WINDOW])
{
    double products = 0;
    double squares = 0;
    for (unsigned i = 0; i < STEADY_WINDOW; i++) {
        products += place_of(i) * figures[i];
        squares += place_of(i) * place_of(i);
    }
    return products / squares;
}

bool steady_judge(struct steady_fit *fit, const double figures[static STEADY_WINDOW])
{
    double least = figures[0];
    double most = figures[0];
    double sum = 0;
    for (unsigned i = 0; i < STEADY_WINDOW; i++) {
        least = fmin(least, figures[i]);
        most = fmax(most, figures[i]);
        sum += figures[i];
    }
    *fit = (struct steady_fit){.mean = sum / STEADY_WINDOW, .slope = slope_of(figures)};
    if (fit->mean <= 0)
        return false;
    fit->range_percent = 100 * (most - least) / fit->mean;
    fit->slope_percent = 100 * (STEADY_WINDOW - 1) * fit->slope / fit->mean;
    return fit->range_percent <= STEADY_RANGE_PERCENT &&
           fabs(fit->slope_percent) <= STEADY_SLOPE_PERCENT;
}
