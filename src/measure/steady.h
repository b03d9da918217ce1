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
 * Only the order of the rounds matters, not the time between them.
 */
#define STEADY_WINDOW        5
#define STEADY_RANGE_PERCENT 20
#define STEADY_SLOPE_PERCENT 10

struct steady_fit {
    double mean;
    double range_percent; /* largest minus smallest, in percent of the mean */
    double slope;         /* slope of the line per round, in the figure's unit */
    double slope_percent; /* rise of the line over the window, in percent of the mean; negative if
                             it falls */
};

/*
 * Judges the figures of a window, none of which is negative, and fills fit. A window of zeros is
 * not steady: nothing was measured in it.
 */
bool steady_judge(struct steady_fit *fit, const double figures[static STEADY_WINDOW]);

#endif
