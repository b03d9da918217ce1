#ifndef SYNC_RANKS_H
#define SYNC_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/host.h"

/* The processes that make one run together. */

/* How the clock of a rank differs from rank 0's, in nanoseconds: rank 0's is its own plus that. */
struct clock_offset {
    int64_t ns;
    uint64_t uncertainty_ns;
};

/* What rank 0 knows of each rank. Holds no pointers: it travels between hosts. */
#define RANK_HOST_SIZE 64
struct rank_card {
    char host[RANK_HOST_SIZE];
    uint64_t clock; /* equal where ranks read the very same clock: one kernel, one time namespace */
    uint64_t ram_bytes;
    uint32_t cpus;
    uint32_t host_first;        /* the first rank of that host */
    struct clock_offset before; /* at the beginning of the present test, */
    struct clock_offset after;  /* and at the last look */
};

struct ranks {
    unsigned count;          /* 1: there are no others */
    unsigned number;         /* of this process, from 0 on */
    uint64_t ram_bytes;      /* of all distinct hosts; 0: there are no others */
    struct rank_card *cards; /* one for each rank, in rank 0 of several; else NULL */
};

/* Fills what a rank says of itself. */
void rank_card_fill(struct rank_card *card, const struct host *host);

/*
 * From the first start to the last end of what several ranks did, on rank 0's clock; zeroed at
 * first.
 */
struct rank_span {
    uint64_t first_start;
    uint64_t last_start;
    uint64_t last_end;
};
void rank_span_add(struct rank_span *s, uint64_t start, uint64_t end);

/* When all cards are there: finds the first rank of each host, and adds up the hosts' memory. */
void ranks_find_hosts(struct ranks *r);

/* How many ranks share a CPU, rounded up, on the host where they are most. In rank 0 only. */
unsigned ranks_per_cpu(const struct ranks *r);

/* True for the first rank of its host. In rank 0 only. */
bool ranks_is_first(const struct ranks *r, unsigned rank);

/* A time of a rank's clock on rank 0's. Before the clocks were compared again: `before`. */
uint64_t rank_clock_start(const struct ranks *r, unsigned rank, uint64_t ns);
uint64_t rank_clock_end(const struct ranks *r, unsigned rank, uint64_t ns);

#endif
