#ifndef SYNC_RANKS_H
#define SYNC_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/host.h"
#include "util/err.h"

/* The processes that make up one run. */

/*
 * The difference between a rank's clock and rank 0's, in nanoseconds: the time on rank 0's clock is
 * the time on its own plus this.
 */
struct clock_offset {
    int64_t ns;
    uint64_t uncertainty_ns;
};

/* What rank 0 knows about each rank. Holds no pointers: it travels between hosts. */
#define RANK_HOST_SIZE 64
struct rank_card {
    char host[RANK_HOST_SIZE];
    uint64_t order; /* the same number in every rank: shows in which order the rank's bytes are */
    /* equal in ranks that read the very same clock: one kernel, one time namespace */
    uint64_t clock;
    uint64_t ram_bytes;
    uint32_t cpus;
    uint32_t host_first;        /* the first rank on its host */
    struct clock_offset before; /* at the beginning of the current test */
    struct clock_offset after;  /* at the last comparison */
};

struct ranks {
    unsigned count;          /* number of ranks; 1: there are no others */
    unsigned number;         /* number of this process, from 0 */
    uint64_t ram_bytes;      /* of all distinct hosts; 0: there are no others */
    struct rank_card *cards; /* one for each rank, in rank 0 of several; else NULL */
};

/* Fills in what a rank reports about itself. */
void rank_card_fill(struct rank_card *card, const struct host *host);

/*
 * Called when all cards have come: fails in rank 0 if a rank's bytes are not in this one's order.
 * Ranks send each other numbers as their memory has them.
 */
int ranks_check_order(const struct ranks *r, struct err *e);

/*
 * The time from the start of the first of several ranks to the end of the last, on rank 0's clock;
 * zeroed at first.
 */
struct rank_span {
    uint64_t first_start;
    uint64_t last_start;
    uint64_t last_end;
};
void rank_span_add(struct rank_span *s, uint64_t start, uint64_t end);

/*
 * Called when all cards are complete: finds the first rank of each host, and adds up the hosts'
 * memory.
 */
void ranks_find_hosts(struct ranks *r);

/*
 * The number of ranks that share a CPU, rounded up, on the host where it is largest. In rank 0
 * only.
 */
unsigned ranks_per_cpu(const struct ranks *r);

/* True for the first rank of its host. In rank 0 only. */
bool ranks_is_first(const struct ranks *r, unsigned rank);

/*
 * Converts a time on a rank's clock to rank 0's, with the comparison at the beginning of the test
 * (`before`).
 */
uint64_t rank_clock_start(const struct ranks *r, unsigned rank, uint64_t ns);
uint64_t rank_clock_end(const struct ranks *r, unsigned rank, uint64_t ns);

#endif
