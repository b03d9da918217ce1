// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sys/host.h"

/* The processes that make up one run. */

/* The difference between rank 0's clock and a rank's, in nanoseconds: a time on the rank's clock
 * plus this is the time on rank 0's. */
struct clock_offset {
    int64_t ns;
    uint64_t uncertainty_ns;
    uint64_t at_ns; /* when it was measured, on rank 0's clock; 0: not yet */
};

/* What rank 0 knows about a rank. Has no pointers, because it travels between hosts. */
#define RANK_HOST_SIZE 72
struct rank_card {
    char host[RANK_HOST_SIZE];    /* name, only to be shown */
    char boot_id[RANK_HOST_SIZE]; /* identifies a host */
    uint64_t order; /* the same number in every rank, which shows the order of the rank's bytes */
    uint64_t ram_bytes;
    uint32_t cpus;
    uint32_t host_first;        /* first rank on this rank's host */
    struct clock_offset before; /* at the start of the current test */
    struct clock_offset after;  /* at the last comparison */
};

struct ranks {
    unsigned count;          /* number of ranks; 1: there are no others */
    unsigned number;         /* number of this process, counted from 0 */
    uint64_t ram_bytes;      /* RAM of all hosts together; 0: there are no other ranks */
    struct rank_card *cards; /* one for each rank, in rank 0 of several; otherwise NULL */
};

/* The time from the start of the first of several ranks to the end of the last, on rank 0's clock.
 * Must be zeroed at first. */
struct rank_span {
    uint64_t first_start;
    uint64_t last_start;
    uint64_t last_end;
};
void rank_span_add(struct rank_span *s, uint64_t start, uint64_t end);

/* Number of ranks on the host of a rank; whether it is the first one there. Only in rank 0. */
unsigned ranks_beside(const struct ranks *r, unsigned rank);
bool ranks_is_first(const struct ranks *r, unsigned rank);

/* Convert a rank's time to rank 0's clock, by the comparison before the test or the last one. */
uint64_t rank_clock_start(const struct ranks *r, unsigned rank, uint64_t ns);
uint64_t rank_clock_end(const struct ranks *r, unsigned rank, uint64_t ns);

/* Converts the start and the end of a rank's work. The comparisons are uncertain, but the rank's
 * own clock is not, so the work takes at least as long as it says. */
void rank_clock_span(const struct ranks *r, unsigned rank, uint64_t *start, uint64_t *end);

/* Writes how closely several ranks began together: "within 476 us of one another", and how well
 * their clocks could be compared; clock_uncertainty_ns 0: all read the same clock. */
#define STARTS_TEXT 128
void starts_text(char text[static STARTS_TEXT], uint64_t spread_ns, uint64_t clock_uncertainty_ns);
