#ifndef MEASURE_PACKED_STATS_H
#define MEASURE_PACKED_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/op_stats.h"

/*
 * Statistics in the form in which they travel between hosts. Of the histogram's 17408 buckets, only
 * those that are not empty travel, which are a few hundred. All words are little-endian. Nothing is
 * lost: the sum of packed statistics is exactly what op_stats_merge() makes of the originals.
 */

/* The words before the buckets. */
struct packed_stats {
    uint64_t bytes;
    uint64_t errors;
    uint64_t in_flight_ns;
    uint64_t count;
    uint64_t latency_sum_ns;
    uint64_t latency_max_ns;
    uint64_t latency_inverted_min_ns;
    uint64_t buckets; /* number of pairs that follow, each the index of a bucket and its count */
};

/* Most words that packed statistics take. */
#define PACKED_STATS_HEAD (sizeof(struct packed_stats) / sizeof(uint64_t))
#define PACKED_STATS_MOST (PACKED_STATS_HEAD + 2 * HISTOGRAM_BUCKETS)

/*
 * Packs *s into `words`, which must have room for PACKED_STATS_MOST. Returns the number of words.
 */
size_t packed_stats_make(uint64_t *words, const struct op_stats *s);

/*
 * Adds packed statistics of `bytes` bytes to *whole, and copies the words before the buckets to
 * *head. Returns false when the bytes are invalid; then it adds nothing.
 */
bool packed_stats_add(struct op_stats *whole, const uint64_t *words, size_t bytes,
                      struct packed_stats *head);

#endif
