// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

uint64_t tail_heap_least(const struct tail_heap *h)
{
    return h->count < MAX_TAIL ? 0 : h->records[0].latency_ns;
}

void tail_heap_add(struct tail_heap *h, const struct tail_record *r)
{
    struct tail_record *records = h->records;
    unsigned at = 0;
    if (h->count < MAX_TAIL) {
        at = h->count++;
        for (; at > 0 && r->latency_ns < records[(at - 1) / 2].latency_ns; at = (at - 1) / 2)
            records[at] = records[(at - 1) / 2];
        records[at] = *r;
    } else if (r->latency_ns > records[0].latency_ns) {
        for (unsigned child = 1; child < MAX_TAIL; child = 2 * at + 1) {
            child +=
                child + 1 < MAX_TAIL && records[child + 1].latency_ns < records[child].latency_ns;
            if (r->latency_ns <= records[child].latency_ns)
                break;
            records[at] = records[child];
            at = child;
        }
        records[at] = *r;
    }
}

static int slowest_first(const void *a, const void *b)
{
    const struct tail_record *first = a;
    const struct tail_record *second = b;
    return (first->latency_ns < second->latency_ns) - (first->latency_ns > second->latency_ns);
}

static int earliest_first(const void *a, const void *b)
{
    const struct tail_record *first = a;
    const struct tail_record *second = b;
    return (first->start_ns > second->start_ns) - (first->start_ns < second->start_ns);
}

/* The workers report several times as many operations as will be explained, because the bound for
 * slow ones changes during a test: one operation in TOLD_OF_ALL, and at least TOLD_OF_LEAST times
 * TAIL_LEAST. */
#define TOLD_OF_ALL   200
#define TOLD_OF_LEAST 5

uint64_t tail_slow_from(const struct histogram *latencies)
{
    uint64_t count = latencies->count;
    uint64_t told = count / TOLD_OF_ALL;
    if (told < TOLD_OF_LEAST * TAIL_LEAST)
        told = TOLD_OF_LEAST * TAIL_LEAST;
    if (told >= count)
        return 0;
    return histogram_at_rank(latencies, count - told);
}

int tail_summary_make(struct tail_summary *s, const struct tail_heap *h,
                      const struct histogram *latencies, uint64_t start_ns)
{
    uint64_t slowest = s->slowest > 0 ? s->slowest : latencies->count / 1000;
    if (s->slowest == 0)
        slowest = slowest < TAIL_LEAST ? TAIL_LEAST : slowest > MAX_TAIL ? MAX_TAIL : slowest;
    s->ops = latencies->count;
    s->slowest = slowest < s->ops ? slowest : s->ops;
    s->above_ns = s->ops > s->slowest ? histogram_at_rank(latencies, s->ops - s->slowest) : 0;
    s->records = malloc((h->count + 1) * sizeof *s->records);
    if (!s->records)
        return -ENOMEM;
    memcpy(s->records, h->records, h->count * sizeof *s->records);
    qsort(s->records, h->count, sizeof *s->records, slowest_first);
    s->examined = h->count < s->slowest ? h->count : (size_t)s->slowest;
    for (; s->examined > 0; s->examined--) {
        uint64_t last_ns = s->records[s->examined - 1].latency_ns;
        if (last_ns + last_ns / 512 >= s->above_ns) /* a histogram knows them to within 0.1 % */
            break;                                  /* otherwise a slower one was not examined */
    }
    qsort(s->records, s->examined, sizeof *s->records, earliest_first);
    for (size_t i = 0; i < s->examined; i++) {
        struct tail_record *r = &s->records[i];
        r->start_ns = r->start_ns > start_ns ? r->start_ns - start_ns : 0;
        s->by_cause[r->cause]++;
        s->lost_ops += r->is_lost;
    }
    return 0;
}

void tail_summary_release(struct tail_summary *s)
{
    free(s->records);
    s->records = NULL;
    s->examined = 0;
}

double tail_summary_percent(const struct tail_summary *s, enum tail_cause cause)
{
    return s->examined > 0 ? 100 * (double)s->by_cause[cause] / (double)s->examined : 0;
}

void tail_summary_words(char text[static TAIL_TEXT], const struct tail_summary *s)
{
    text[0] = '\0';
    FILE *out = s->is_wanted && s->ops > 0 ? fmemopen(text, TAIL_TEXT, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "of the slowest %" PRIu64 " (above %s)", s->slowest, units_time(s->above_ns).text);
    uint64_t left[CAUSE_COUNT];
    memcpy(left, s->by_cause, sizeof left);
    for (const char *between = ": ";; between = "; ") {
        enum tail_cause most = 0;
        for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
            most = left[cause] > left[most] ? cause : most;
        if (left[most] == 0)
            break;
        left[most] = 0;
        fprintf(out, "%s%" PRIu64 " %s", between, s->by_cause[most], tail_causes[most].words);
    }
    fputs(".", out);
    if (s->examined < s->slowest)
        fprintf(out, " Only %zu of these %" PRIu64 " could be examined.", s->examined, s->slowest);
    if (s->lost_ops > 0)
        fprintf(out,
                " Events were lost: the causes of %" PRIu64 " of these operations are not known.",
                s->lost_ops);
    fclose(out);
}
