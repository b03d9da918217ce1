// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "boncut/verdict.h"
#include "util/printable.h"

/* Bounds of an event's probability when `seen` of `trials` independent trials showed the event: the
 * exact bounds of Clopper and Pearson (Biometrika 26, 1934), from 0 to 1. `probability` is the
 * largest probability of error: 0.05 for a one-sided bound with 95 % confidence, 0.025 for each
 * bound of a two-sided interval. */
double bound_upper(uint64_t seen, uint64_t trials, double probability);
double bound_lower(uint64_t seen, uint64_t trials, double probability);

/* What all cuts of a campaign show together, added up from the reports of their checks. */
struct campaign_sum {
    uint64_t cuts;
    uint64_t conclusive; /* number of cuts that kept everything or lost something */
    uint64_t lost;       /* number of cuts that lost something */
    uint64_t unreadable; /* number of other cuts after which something could not be read */
    uint64_t promises;   /* number of promises in conclusive cuts */
    uint64_t lost_units;
    uint64_t reached_drive; /* number of cuts that reached a drive's cache */
    enum verdict verdict;
    struct label_text reason; /* why, in words */
};

/* Adds what the report of a cut's check says. */
void campaign_sum_add(struct campaign_sum *sum, enum verdict verdict, enum layer layer,
                      uint64_t promises, uint64_t lost_units);

/* Computes the verdict and its bound when all cuts have been added. */
void campaign_sum_end(struct campaign_sum *sum);
