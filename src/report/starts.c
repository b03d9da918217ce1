#include "report/starts.h"

#include <stdio.h>

#define NS_PER_US UINT64_C(1000)
#define US_PER_MS 1e3

/* Rounds up, so that the printed number is never too small. */
static double milliseconds(uint64_t nanoseconds)
{
    uint64_t us = nanoseconds / NS_PER_US + (nanoseconds % NS_PER_US > 0);
    return (double)us / US_PER_MS;
}

void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns)
{
    int used =
        snprintf(text, STARTS_TEXT, "within %.3f ms of one another", milliseconds(spread_ns));
    if (clock_uncertainty_ns > 0)
        snprintf(text + used, STARTS_TEXT - (size_t)used,
                 " (their clocks could be compared to within %.3f ms)",
                 milliseconds(clock_uncertainty_ns));
}
