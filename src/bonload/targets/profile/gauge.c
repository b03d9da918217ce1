#include "bonload/targets/profile/gauge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"

int gauge_open(struct gauge *g, uint64_t limit_ns, struct err *e)
{
    *g = (struct gauge){
        .limit_ns = limit_ns,
        .begin_ns = clock_ns(),
        .durations = calloc(1, sizeof *g->durations),
        .slices = calloc(GAUGE_SLICES, sizeof *g->slices),
    };
    pthread_mutex_init(&g->lock, NULL);
    if (g->durations && g->slices)
        return 0;
    gauge_close(g);
    return err_system(e, ENOMEM, "memory for durations");
}

void gauge_close(struct gauge *g)
{
    if (!g->durations && !g->slices)
        return;
    free(g->durations);
    free(g->slices);
    g->durations = NULL;
    g->slices = NULL;
    pthread_mutex_destroy(&g->lock);
}

void gauge_restart(struct gauge *g)
{
    pthread_mutex_lock(&g->lock);
    histogram_clear(g->durations);
    memset(g->slices, 0, GAUGE_SLICES * sizeof *g->slices);
    g->used = 0;
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
    s->above += duration_ns > g->limit_ns;
    histogram_record(g->durations, duration_ns);
    pthread_mutex_unlock(&g->lock);
}

void gauge_append(struct gauge *whole, const struct gauge *part)
{
    histogram_merge(whole->durations, part->durations);
    for (unsigned i = 0; i < part->used; i++) {
        if (whole->used < GAUGE_SLICES)
            whole->used++;
        struct gauge_slice *s = &whole->slices[whole->used - 1];
        s->count += part->slices[i].count;
        s->above += part->slices[i].above;
    }
}
