#ifndef BONCUT_CAMPAIGN_BOUND_H
#define BONCUT_CAMPAIGN_BOUND_H

#include <stdint.h>

/*
 * Bounds of the probability of an event that was seen in `seen` of `trials` independent trials: the
 * exact ones of Clopper and Pearson (Biometrika 26, 1934), from 0 to 1. The true probability lies
 * beyond each with at most the given probability: 0.05 for a one-sided bound with 95 % confidence,
 * 0.025 for each of two.
 */
double bound_upper(uint64_t seen, uint64_t trials, double probability);
double bound_lower(uint64_t seen, uint64_t trials, double probability);

#endif
