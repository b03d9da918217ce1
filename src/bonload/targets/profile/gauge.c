// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/targets/profile/gauge.h"

#include <string.h>

#include "measure/clock.h"

void gauge_init(struct gauge *g, uint64_t limit_ns)
{
    g->limit_ns = limit_ns;
    g->begin_ns = clock_ns();
    pthread_mutex_init(&g->lock, NULL);
}

void gauge_restart(struct gauge *g)
{
    pthread_mutex_lock(&g->lock);
    histogram_clear(&g->durations);
    memset(g->slices, 0, sizeof g->slices);
    g->used = 0;
    g->last_above_ns = 0;
    g->begin_ns = clock_ns();
    pthread_mutex_unlock(&g->lock);
}

void gauge_add(struct gauge *g, uint64_t duration_ns, uint64_t end_ns)
{
    pthread_mutex_lock(&g->lock);
    uint64_t slice = end_ns > g->begin_ns ? (end_ns - g->begin_ns) / GAUGE_SLICE_NS : 0;
    unsigned place = slice < GAUGE_SLICES ? (unsigned)slice : GAUGE_SLICES - 1;
    struct gauge_slice *s = &g->slices[place];
    if (place >= g->used)
        g->used = place + 1;
    s->count++;
    if (duration_ns > g->limit_ns) {
        s->above++;
        g->last_above_ns = end_ns > g->last_above_ns ? end_ns : g->last_above_ns;
    }
    histogram_record(&g->durations, duration_ns);
    pthread_mutex_unlock(&g->lock);
}

void gauge_end(struct gauge *g, uint64_t load_end_ns)
{
    g->outlasts_load = g->last_above_ns > load_end_ns + GAUGE_SLICE_NS;
}

void gauge_append(struct gauge *whole, const struct gauge *part)
{
    whole->outlasts_load |= part->outlasts_load;
    histogram_merge(&whole->durations, &part->durations);
    for (unsigned i = 0; i < part->used; i++) {
        if (whole->used < GAUGE_SLICES)
            whole->used++;
        struct gauge_slice *s = &whole->slices[whole->used - 1];
        s->count += part->slices[i].count;
        s->above += part->slices[i].above;
    }
}
