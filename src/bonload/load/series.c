// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/load/series.h"

#include <math.h>

bool series_open(struct series *s, uint64_t slice_ns, size_t room)
{
    *s = (struct series){.slice_ns = slice_ns, .next_ns = slice_ns, .room = room};
    s->slices = calloc(room, sizeof *s->slices);
    s->seen = calloc(LOAD_KINDS, sizeof *s->seen);
    s->slice_times = calloc(1, sizeof *s->slice_times);
    return s->slices && s->seen && s->slice_times;
}

void series_close(struct series *s)
{
    free(s->slices);
    free(s->seen);
    free(s->slice_times);
    *s = (struct series){0};
}

double heat_edge(unsigned bin)
{
    return bin == 0 ? 0 : HEAT_FROM_NS * exp2((double)bin / HEAT_PER_DOUBLE);
}

static void add_to_bin(uint32_t *bin, uint64_t count)
{
    uint64_t sum = *bin + count;
    *bin = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* A percentile computed from the bins: the geometric middle of its bin; 0: too few show it. */
static uint64_t percentile_of(const struct slice_kind *k, double percent)
{
    double wanted = ceil((double)k->good * percent / 100);
    double seen = 0;
    if (!percentile_is_known(k->good, percent))
        return 0;
    for (unsigned bin = 0; bin < HEAT_BINS; bin++) {
        seen += k->heat[bin];
        if (seen < wanted)
            continue;
        uint64_t middle =
            (uint64_t)sqrt(fmax(heat_edge(bin), HEAT_FROM_NS / 2.) * heat_edge(bin + 1));
        return middle < k->max_ns ? middle : k->max_ns;
    }
    return k->max_ns;
}

static void merge_slice(struct slice *to, const struct slice *part)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct slice_kind *k = &to->kinds[kind];
        const struct slice_kind *more = &part->kinds[kind];
        k->good += more->good;
        k->errors += more->errors;
        k->bytes += more->bytes;
        k->max_ns = MAX(k->max_ns, more->max_ns);
        for (unsigned bin = 0; bin < HEAT_BINS; bin++)
            add_to_bin(&k->heat[bin], more->heat[bin]);
        k->p50_ns = percentile_of(k, 50);
        k->p99_ns = percentile_of(k, 99);
    }
    to->end_ns = MAX(to->end_ns, part->end_ns);
}

static void series_halve(struct series *s)
{
    for (size_t i = 0; i < s->count / 2; i++) {
        merge_slice(&s->slices[2 * i], &s->slices[2 * i + 1]);
        s->slices[i] = s->slices[2 * i];
    }
    if (s->count % 2 != 0)
        s->slices[s->count / 2] = s->slices[s->count - 1];
    s->count = (s->count + 1) / 2;
    s->slice_ns *= 2;
}

void series_update(struct series *s, const struct recorders *r, uint64_t elapsed_ns, bool is_last)
{
    if (elapsed_ns < s->next_ns && !is_last)
        return;
    if (s->count == s->room)
        series_halve(s);
    struct slice *slice = &s->slices[s->count++];
    struct histogram *h = s->slice_times;
    slice->end_ns = elapsed_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        struct slice_kind *k = &slice->kinds[kind];
        const struct counts before = s->before[kind];
        const struct counts now = recorders_counts(r, kind);
        recorders_sum_times(r, kind, false, h);
        histogram_subtract(h, h, &s->seen[kind]); /* what is new */
        histogram_merge(&s->seen[kind], h);
        *k = (struct slice_kind){
            .good = h->count,
            .errors = now.errors - before.errors,
            .bytes = now.bytes - before.bytes,
            .p50_ns = histogram_known_percentile(h, 50),
            .p99_ns = histogram_known_percentile(h, 99),
            .max_ns = h->maximum,
        };
        const struct histogram_range span = histogram_range(h->inverted_minimum, h->maximum);
        for (unsigned i = span.first; i < span.end; i++) {
            if (h->buckets[i] == 0)
                continue;
            double ratio = fmax((double)histogram_middle(i) / HEAT_FROM_NS, 1);
            double bin = fmin(floor(HEAT_PER_DOUBLE * log2(ratio)), HEAT_BINS - 1);
            add_to_bin(&k->heat[(unsigned)bin], h->buckets[i]);
        }
        s->before[kind] = now;
    }
    s->next_ns = elapsed_ns - elapsed_ns % s->slice_ns + s->slice_ns;
}

/* Where a slice starts, in units of the current slice length. */
static uint64_t slice_at(const struct series *s, size_t i)
{
    uint64_t begin_ns = i > 0 ? s->slices[i - 1].end_ns : 0;
    return i < s->count ? begin_ns / s->slice_ns : UINT64_MAX;
}

bool series_merge(struct series *whole, struct series *part)
{
    struct slice *both = calloc(whole->room, sizeof *both);
    size_t count = 0;
    size_t i = 0;
    size_t j = 0;
    if (!both)
        return false;
    while (part->slice_ns < whole->slice_ns)
        series_halve(part);
    while (whole->slice_ns < part->slice_ns)
        series_halve(whole);
    while (i < whole->count || j < part->count) {
        bool is_ours = slice_at(whole, i) <= slice_at(part, j);
        bool is_theirs = slice_at(part, j) <= slice_at(whole, i);
        struct slice *to = &both[count < whole->room ? count++ : count - 1];
        if (is_ours)
            merge_slice(to, &whole->slices[i++]);
        if (is_theirs)
            merge_slice(to, &part->slices[j++]);
        if (count > 1 && to->end_ns < to[-1].end_ns)
            to->end_ns = to[-1].end_ns;
    }
    free(whole->slices);
    whole->slices = both;
    whole->count = count;
    return true;
}
