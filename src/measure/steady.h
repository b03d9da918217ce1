#ifndef MEASURE_STEADY_H
#define MEASURE_STEADY_H

#include <stdbool.h>

/*
 * When the figure of a test that is repeated in rounds is steady, by the definition of the steady
 * state in SNIA's Solid State Storage Performance Test Specification 2.0.2. Two things must hold
 * for the figures of the last five rounds, the measurement window:
 *
 * - the largest and the smallest differ by at most 20 % of the mean;
 * - from the first to the last of these rounds, the least-squares line rises or falls by at most
 *   10 % of the mean.
 *
 * Only the order of the rounds matters, and not the time between them.
 */
#define STEADY_WINDOW        5
#define STEADY_RANGE_PERCENT 20
#define STEADY_SLOPE_PERCENT 10

struct steady_fit {
    double mean;
    double range_percent; /* largest minus smallest figure, in percent of the mean */
    double slope;         /* slope of the line per round, in the figure's unit */
    double slope_percent; /* rise over the window, in percent of the mean */
};

/*
 * Judges the figures of a window, none of which may be negative, and sets *fit. A window of zeros
 * is not steady, because nothing was measured in it.
 */
bool steady_judge(struct steady_fit *fit, const double figures[static STEADY_WINDOW]);

#endif
