#ifndef MEASURE_PACKED_STATS_H
#define MEASURE_PACKED_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/op_stats.h"

/*
 * Statistics as they travel between hosts: of the histogram only the buckets that hold something,
 * which are a few hundred of its 17408. Nothing is lost: what is added up of packed statistics is
 * what op_stats_merge() makes of the whole ones.
 */

/* What stands in front of the buckets. */
struct packed_stats {
    uint64_t bytes;
    uint64_t errors;
    uint64_t in_flight_ns;
    uint64_t count;
    uint64_t latency_sum_ns;
    uint64_t latency_max_ns;
    uint64_t latency_inverted_min_ns;
    uint64_t buckets; /* number of pairs that follow: which bucket, how many */
};

/* The number of words that it takes at most. */
#define PACKED_STATS_HEAD (sizeof(struct packed_stats) / sizeof(uint64_t))
#define PACKED_STATS_MOST (PACKED_STATS_HEAD + 2 * HISTOGRAM_BUCKETS)

/* Packs s into words, of which there are PACKED_STATS_MOST; returns the number that are used. */
size_t packed_stats_make(uint64_t *words, const struct op_stats *s);

/*
 * Adds packed statistics of that size to whole, and copies what stands in front to *head. False,
 * and nothing is added: they are none.
 */
bool packed_stats_add(struct op_stats *whole, const uint64_t *words, size_t bytes,
                      struct packed_stats *head);

#endif
