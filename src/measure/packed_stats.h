#ifndef MEASURE_PACKED_STATS_H
#define MEASURE_PACKED_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/op_stats.h"

/*
 * Statistics in the form in which they travel between hosts: only the buckets of the histogram that
 * are not empty, a few hundred of 17408. They are little-endian on every machine. Nothing is lost:
 * the sum of packed statistics is what op_stats_merge() makes of the originals.
 */

/* The words in front of the buckets. */
struct packed_stats {
    uint64_t bytes;
    uint64_t errors;
    uint64_t in_flight_ns;
    uint64_t count;
    uint64_t latency_sum_ns;
    uint64_t latency_max_ns;
    uint64_t latency_inverted_min_ns;
    uint64_t buckets; /* number of pairs that follow: index of a bucket, its count */
};

/* The largest number of words that packed statistics take. */
#define PACKED_STATS_HEAD (sizeof(struct packed_stats) / sizeof(uint64_t))
#define PACKED_STATS_MOST (PACKED_STATS_HEAD + 2 * HISTOGRAM_BUCKETS)

/* Packs s into words, which has room for PACKED_STATS_MOST; returns the number of words used. */
size_t packed_stats_make(uint64_t *words, const struct op_stats *s);

/*
 * Adds packed statistics of that size to whole, and copies their head to *head. Returns false, and
 * adds nothing, when they are invalid.
 */
bool packed_stats_add(struct op_stats *whole, const uint64_t *words, size_t bytes,
                      struct packed_stats *head);

#endif
