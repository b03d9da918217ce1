#ifndef BONCUT_CAMPAIGN_SUM_H
#define BONCUT_CAMPAIGN_SUM_H

#include <jansson.h>
#include <stdint.h>

#include "boncut/verdict.h"

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
    char text[512]; /* the verdict in words */
};

/* One cut's contribution to the sum, read from the report of `boncut check --json`. */
struct campaign_cut {
    enum verdict verdict;
    enum layer layer;
    uint64_t promises;
    uint64_t units;
    uint64_t lost_units;
    const char *text; /* text of the report */
};

/*
 * Reads a report. The strings of `cut` belong to the report. Returns 0, or -EINVAL with a line in e
 * when the report is invalid.
 */
int campaign_cut_read(struct campaign_cut *cut, const json_t *report, struct err *e);

void campaign_sum_add(struct campaign_sum *sum, const struct campaign_cut *cut);

/* Computes the verdict and its bound (bound.h) when all cuts have been added. */
void campaign_sum_end(struct campaign_sum *sum);

#endif
