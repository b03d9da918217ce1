// SPDX-License-Identifier: GPL-2.0-or-later
#include "tail/summary.h"

#include "util/units.h"

uint64_t tail_slowest_least(const struct tail_slowest *all)
{
    return all->count < MAX_TAIL ? 0 : all->records[MAX_TAIL - 1].latency_ns;
}

void tail_slowest_add(struct tail_slowest *all, const struct tail_record *r)
{
    unsigned at = all->count;
    while (at > 0 && all->records[at - 1].latency_ns < r->latency_ns)
        at--;
    if (at == MAX_TAIL)
        return;
    all->count += all->count < MAX_TAIL;
    memmove(&all->records[at + 1], &all->records[at], (all->count - 1 - at) * sizeof *r);
    all->records[at] = *r;
}

static int earliest_first(const void *a, const void *b)
{
    const struct tail_record *first = a;
    const struct tail_record *second = b;
    return (first->start_ns > second->start_ns) - (first->start_ns < second->start_ns);
}

/* Several times as many as will be explained, because the bound changes during a test. */
uint64_t tail_slow_from(const struct histogram *latencies)
{
    uint64_t told = MAX(latencies->count / 200, 5 * TAIL_LEAST);
    return told < latencies->count ? histogram_at_rank(latencies, latencies->count - told) : 0;
}

int tail_summary_make(struct tail_summary *s, const struct tail_slowest *all,
                      const struct histogram *latencies, uint64_t start_ns)
{
    s->ops = latencies->count;
    if (s->slowest == 0)
        s->slowest = MIN(MAX(s->ops / 1000, TAIL_LEAST), MAX_TAIL);
    s->slowest = MIN(s->slowest, s->ops);
    s->above_ns = s->ops > s->slowest ? histogram_at_rank(latencies, s->ops - s->slowest) : 0;
    s->examined = (size_t)MIN(all->count, s->slowest);
    for (; s->examined > 0; s->examined--) {
        uint64_t last_ns = all->records[s->examined - 1].latency_ns;
        if (last_ns + last_ns / 512 >= s->above_ns) /* a histogram knows them to within 0.1 % */
            break;                                  /* otherwise a slower one was not examined */
    }
    s->records = malloc((s->examined + 1) * sizeof *s->records);
    if (!s->records)
        return -ENOMEM;
    memcpy(s->records, all->records, s->examined * sizeof *s->records);
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

void tail_summary_words(struct label_text *words, const struct tail_summary *s, const char *what)
{
    uint64_t left[CAUSE_COUNT];
    enum tail_cause told = CAUSE_UNKNOWN;
    if (!s->is_wanted || s->ops == 0)
        return;
    label_add(words, "of the slowest %" PRIu64 "%s (above %s)", s->slowest, what,
              units_time(s->above_ns).text);
    memcpy(left, s->by_cause, sizeof left);
    for (const char *between = ": ";; between = "; ") {
        enum tail_cause most = 0;
        for (enum tail_cause cause = 0; cause < CAUSE_COUNT; cause++)
            most = left[cause] > left[most] ? cause : most;
        if (left[most] == 0)
            break;
        left[most] = 0;
        label_add(words, "%s%" PRIu64 " %s", between, s->by_cause[most],
                  tail_cause_words(most, told));
        told = most == CAUSE_UNKNOWN ? told : most;
    }
    label_add(words, ".");
    if (s->examined < s->slowest)
        label_add(words, " Only %zu of these %" PRIu64 " could be examined.", s->examined,
                  s->slowest);
    if (s->lost_ops > 0)
        label_add(words,
                  " Events were lost: the causes of %" PRIu64 " of these operations are not known.",
                  s->lost_ops);
}
