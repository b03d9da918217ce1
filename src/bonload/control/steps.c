#include "bonload/control/steps.h"

#include <errno.h>
#include <stdlib.h>

#include "bonload/stats/standing.h"
#include "util/bundle.h"
#include "util/units.h"

int steps_open(struct steps *s, struct run *run, struct coordinator *coordinator, struct err *e)
{
    *s = (struct steps){.run = run, .coordinator = coordinator};
    s->list = calloc(STEPS_MOST, sizeof *s->list);
    s->counts = calloc(1, sizeof *s->counts);
    if (s->list && s->counts)
        return 0;
    steps_close(s);
    return err_system(e, ENOMEM, "memory for the steps");
}

void steps_close(struct steps *s)
{
    free(s->list);
    free(s->counts);
    *s = (struct steps){0};
}

void steps_begin(struct steps *s, uint64_t now_ns)
{
    s->current = (struct step_figures){.begin_ns = now_ns};
    failures_copy(&s->failures, &s->run->failures);
    failures_copy(&s->misses, &s->run->misses);
    for (unsigned op = 0; s->run->target->ops && s->run->target->ops[op]; op++)
        recorders_sum_op(&s->run->recorders, op, &s->counts->ops[op]);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        const struct load *load = &s->run->loads[kind];
        recorders_sum(&s->run->recorders, kind, &s->counts->before[kind]);
        s->due[kind] = load_has_schedule(load)
                           ? arrivals_due(load_schedule(load), &s->cursors[kind], now_ns)
                           : 0;
    }
}

/* Rate that this rank offered in the step, in requests per second; 0: it has no schedule. */
static double offered_rate(struct steps *s, enum load_kind kind, uint64_t now_ns)
{
    const struct arrivals *a = load_schedule(&s->run->loads[kind]);
    if (!load_has_schedule(&s->run->loads[kind]))
        return 0;
    if (a->how == ARRIVAL_CONSTANT)
        return (double)a->rate / (double)BILLION;
    return (double)(arrivals_due(a, &s->cursors[kind], now_ns) - s->due[kind]) * (double)BILLION /
           (double)(now_ns - s->current.begin_ns);
}

void steps_stop(struct steps *s, uint64_t now_ns)
{
    if (s->current.end_ns != 0)
        return;
    s->current.end_ns = now_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        s->current.offered[kind] = offered_rate(s, kind, now_ns);
}

/* What a meeting of all ranks at the end of a step works on. */
struct step_meeting {
    struct steps *steps;
    struct rank_span span;
    struct busy_evidence machine;
    double offered[LOAD_KINDS];
    bool is_damaged;
};

/* Adds a rank's figures. Its clock was compared with rank 0's at the end of the previous step. */
static void add_figures(struct step_meeting *m, unsigned rank, const struct step_figures *f)
{
    const struct ranks *r = &m->steps->coordinator->ranks;
    rank_span_add(&m->span, rank_clock_end(r, rank, f->begin_ns),
                  rank_clock_end(r, rank, f->end_ns));
    struct busy_evidence machine = f->machine;
    busy_among(&machine, ranks_beside(r, rank));
    busy_keep_busier(&m->machine, &machine);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        m->offered[kind] += f->offered[kind];
}

/* Adds the report of another rank to that of rank 0. */
static void take_step(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct step_meeting *m = context;
    struct step_counts *c = m->steps->counts;
    struct bundle_reader in = {.at = brought, .bytes = bytes};
    struct step_figures f;
    if (rank == 0)
        return;
    m->is_damaged |= !bundle_take(&in, &f, sizeof f);
    if (!m->is_damaged)
        add_figures(m, rank, &f);
    for (enum load_kind kind = 0; !m->is_damaged && kind < LOAD_KINDS; kind++) {
        m->is_damaged = !bundle_take(&in, &c->other, sizeof c->other);
        if (!m->is_damaged)
            tally_merge(&c->measured[kind], &c->other);
    }
}

static int meet_for_step(struct step_meeting *m, struct err *e)
{
    struct steps *s = m->steps;
    struct bundle bundle = {0};
    if (s->coordinator->ranks.number > 0) {
        bundle_put(&bundle, &s->current, sizeof s->current);
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
            bundle_put(&bundle, &s->counts->measured[kind], sizeof *s->counts->measured);
    }
    const struct meeting meeting = {.name = "Ending a step",
                                    .mine = bundle.words,
                                    .bytes = bundle_bytes(&bundle),
                                    .take = take_step,
                                    .context = m,
                                    .compares_clocks = true};
    int rc = bundle.is_short ? err_system(e, ENOMEM, "memory for a step")
                             : coordinator_meet(s->coordinator, &meeting, e);
    bundle_release(&bundle);
    return rc == 0 && m->is_damaged ? err_say(e, FIGURES_DAMAGED) : rc;
}

static struct step_kind step_kind_of(const struct step_meeting *m, enum load_kind kind)
{
    const struct steps *s = m->steps;
    const struct tally *t = &s->counts->measured[kind];
    double elapsed_ns = (double)(m->span.last_end - m->span.first_start + 1);
    double achieved = (double)tally_ended(t) * (double)BILLION / elapsed_ns;
    return (struct step_kind){
        .is_there = s->run->loads[kind].pace != PACE_NONE,
        .requests = tally_ended(t),
        .errors = t->failed.count,
        .offered = m->offered[kind] > 0 ? m->offered[kind] : achieved,
        .achieved = achieved,
        .latencies = latencies_of(&t->response),
        .limited_ns = latency_limit_figure(&s->run->plan->limit, &t->response),
    };
}

static struct step *add_step(struct steps *s, const struct step_meeting *m)
{
    uint64_t begin_ns = m->span.first_start;
    if (s->count == STEPS_MOST)
        s->count--; /* a full list keeps its last place for the last step */
    struct step *step = &s->list[s->count++];
    *step = (struct step){
        .start_ns = begin_ns > s->run->start_ns ? begin_ns - s->run->start_ns : 0,
        .elapsed_ns = m->span.last_end - begin_ns,
        .machine = m->machine,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        step->kinds[kind] = step_kind_of(m, kind);
    return step;
}

int steps_end(struct steps *s, struct step **step, struct err *e)
{
    struct step_meeting m = {.steps = s, .machine = busy_unknown};
    struct step_counts *c = s->counts;
    *step = NULL;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        recorders_sum(&s->run->recorders, kind, &c->other);
        tally_subtract(&c->measured[kind], &c->other, &c->before[kind]);
    }
    int rc = meet_for_step(&m, e);
    if (rc == 0 && s->coordinator->ranks.number == 0) {
        add_figures(&m, 0, &s->current);
        *step = add_step(s, &m);
    }
    return rc;
}
