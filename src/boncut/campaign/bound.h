#ifndef BONCUT_CAMPAIGN_BOUND_H
#define BONCUT_CAMPAIGN_BOUND_H

#include <stdint.h>

/*
 * Bounds of an event's probability when `seen` of `trials` independent trials showed the event: the
 * exact bounds of Clopper and Pearson (Biometrika 26, 1934), from 0 to 1. `probability` is the
 * largest probability of error: 0.05 for a one-sided bound with 95 % confidence, 0.025 for each
 * bound of a two-sided interval.
 */
double bound_upper(uint64_t seen, uint64_t trials, double probability);
double bound_lower(uint64_t seen, uint64_t trials, double probability);

#endif
