#ifndef MEASURE_STEADY_H
#define MEASURE_STEADY_H

#include <stdbool.h>

/*
 * When the figure of a test that is repeated in rounds is steady: SNIA, Solid State Storage
 * Performance Test Specification 2.0.2, definition of the steady state. Of the figures of the last
 * five rounds, the measurement window, two things must hold:
 *
 * - the largest and the smallest differ by 20 % of their mean at most;
 * - their least-squares line rises or falls, from the first of these rounds to the last, by 10 % of
 *   their mean at most.
 *
 * How much earlier or later rounds are counts for nothing.
 */
#define STEADY_WINDOW        5
#define STEADY_RANGE_PERCENT 20
#define STEADY_SLOPE_PERCENT 10

struct steady_fit {
    double mean;
    double range_percent; /* largest minus smallest, of the mean */
    double slope;         /* of the line, for each round, in the figure's unit */
    double slope_percent; /* rise of the line over the window, of the mean; falling is negative */
};

/*
 * Judges the figures of a window, none of which is negative, and fills fit. All of them 0 are no
 * steady state: nothing was measured then.
 */
bool steady_judge(struct steady_fit *fit, const double figures[static STEADY_WINDOW]);

#endif
