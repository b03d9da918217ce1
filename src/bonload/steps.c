#include "bonload/steps.h"

#include <errno.h>
#include <stdlib.h>

#include "util/units.h"

int steps_open(struct steps *s, struct run *run, struct err *e)
{
    *s = (struct steps){.run = run};
    s->list = calloc(STEPS_MOST, sizeof *s->list);
    s->before = calloc(LOAD_KINDS, sizeof *s->before);
    s->measured = calloc(LOAD_KINDS, sizeof *s->measured);
    if (s->list && s->before && s->measured)
        return 0;
    steps_close(s);
    return err_system(e, ENOMEM, "memory for the steps");
}

void steps_close(struct steps *s)
{
    free(s->list);
    free(s->before);
    free(s->measured);
    *s = (struct steps){0};
}

static const struct arrivals *schedule_of(const struct steps *s, enum load_kind kind)
{
    const struct load *load = &s->run->loads[kind];
    return &load->schedules[atomic_load(&load->schedule) % SCHEDULES];
}

static bool has_schedule(const struct steps *s, enum load_kind kind)
{
    const struct load *load = &s->run->loads[kind];
    return load->pace == PACE_RATE && atomic_load(&load->rate) > 0 && atomic_load(&load->is_open);
}

void steps_begin(struct steps *s, uint64_t now_ns)
{
    s->begin_ns = now_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        recorders_sum(&s->run->recorders, kind, &s->before[kind]);
        s->due[kind] = has_schedule(s, kind)
                           ? arrivals_due(schedule_of(s, kind), &s->cursors[kind], now_ns)
                           : 0;
    }
}

static double offered(struct steps *s, enum load_kind kind, uint64_t now_ns)
{
    const struct arrivals *a = schedule_of(s, kind);
    if (a->how == ARRIVAL_CONSTANT)
        return (double)a->rate / (double)BILLION;
    return (double)(arrivals_due(a, &s->cursors[kind], now_ns) - s->due[kind]) * (double)BILLION /
           (double)(now_ns - s->begin_ns);
}

static uint64_t limited(const struct plan *p, const struct histogram *h)
{
    if (p->limit.of == LIMIT_PERCENTILE)
        return histogram_percentile(h, p->limit.percent);
    return p->limit.of == LIMIT_MAX ? h->maximum : (uint64_t)histogram_mean(h);
}

static void measure_kind(struct steps *s, enum load_kind kind, uint64_t now_ns, struct step_kind *k)
{
    struct tally *t = &s->measured[kind];
    struct tally *now = malloc(sizeof *now);
    if (!now)
        return; /* the step has no figures then */
    recorders_sum(&s->run->recorders, kind, now);
    tally_subtract(t, now, &s->before[kind]);
    free(now);
    *k = (struct step_kind){
        .is_there = s->run->loads[kind].pace != PACE_NONE,
        .requests = tally_ended(t),
        .errors = t->errors,
        .achieved = (double)tally_ended(t) * (double)BILLION / (double)(now_ns - s->begin_ns + 1),
        .latencies = latencies_of(&t->response),
        .limited_ns = limited(s->run->plan, &t->response),
    };
    k->offered = has_schedule(s, kind) ? offered(s, kind, now_ns) : k->achieved;
}

struct step *steps_end(struct steps *s, uint64_t now_ns)
{
    if (s->count == STEPS_MOST)
        s->count--; /* the last place is that of the last step */
    struct step *step = &s->list[s->count++];
    *step = (struct step){
        .start_ns = s->begin_ns - s->run->start_ns,
        .elapsed_ns = now_ns - s->begin_ns,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        measure_kind(s, kind, now_ns, &step->kinds[kind]);
    return step;
}
