#include "measure/packed_stats.h"

#include <endian.h>
#include <string.h>

size_t packed_stats_make(uint64_t *words, const struct op_stats *s)
{
    const struct histogram *h = &s->latencies;
    struct packed_stats head = {
        .bytes = s->bytes,
        .errors = s->errors,
        .in_flight_ns = s->in_flight_ns,
        .count = h->count,
        .latency_sum_ns = h->sum,
        .latency_max_ns = h->maximum,
        .latency_inverted_min_ns = h->inverted_minimum,
    };
    size_t used = PACKED_STATS_HEAD;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (h->buckets[i] == 0)
            continue;
        words[used++] = i;
        words[used++] = h->buckets[i];
        head.buckets++;
    }
    memcpy(words, &head, sizeof head);
    for (size_t i = 0; i < used; i++)
        words[i] = htole64(words[i]);
    return used;
}

static bool are_packed(const uint64_t *words, size_t bytes, struct packed_stats *head)
{
    if (bytes < sizeof *head)
        return false;
    uint64_t first[PACKED_STATS_HEAD];
    memcpy(first, words, sizeof first);
    for (size_t i = 0; i < PACKED_STATS_HEAD; i++)
        first[i] = le64toh(first[i]);
    memcpy(head, first, sizeof *head);
    if (head->buckets > HISTOGRAM_BUCKETS ||
        bytes != (PACKED_STATS_HEAD + 2 * head->buckets) * sizeof *words)
        return false;
    for (uint64_t i = 0; i < head->buckets; i++)
        if (le64toh(words[PACKED_STATS_HEAD + 2 * i]) >= HISTOGRAM_BUCKETS)
            return false;
    return true;
}

bool packed_stats_add(struct op_stats *whole, const uint64_t *words, size_t bytes,
                      struct packed_stats *head)
{
    struct histogram *h = &whole->latencies;
    if (!are_packed(words, bytes, head))
        return false;
    whole->bytes += head->bytes;
    whole->errors += head->errors;
    whole->in_flight_ns += head->in_flight_ns;
    h->count += head->count;
    h->sum += head->latency_sum_ns;
    if (head->latency_max_ns > h->maximum)
        h->maximum = head->latency_max_ns;
    if (head->latency_inverted_min_ns > h->inverted_minimum)
        h->inverted_minimum = head->latency_inverted_min_ns;
    const uint64_t *pairs = words + PACKED_STATS_HEAD;
    for (uint64_t i = 0; i < head->buckets; i++)
        h->buckets[le64toh(pairs[2 * i])] += le64toh(pairs[2 * i + 1]);
    return true;
}
