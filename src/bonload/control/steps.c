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
    s->before = calloc(LOAD_KINDS, sizeof *s->before);
    s->measured = calloc(LOAD_KINDS, sizeof *s->measured);
    s->ops = run->target->ops ? calloc(OPS_MOST, sizeof *s->ops) : NULL;
    if (s->list && s->before && s->measured && (s->ops || !run->target->ops))
        return 0;
    steps_close(s);
    return err_system(e, ENOMEM, "memory for the steps");
}

void steps_close(struct steps *s)
{
    free(s->list);
    free(s->before);
    free(s->ops);
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
    s->end_ns = 0;
    failures_copy(&s->failures, &s->run->failures);
    failures_copy(&s->misses, &s->run->misses);
    for (unsigned op = 0; s->ops && s->run->target->ops[op]; op++)
        recorders_sum_op(&s->run->recorders, op, &s->ops[op]);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        recorders_sum(&s->run->recorders, kind, &s->before[kind]);
        s->due[kind] = has_schedule(s, kind)
                           ? arrivals_due(schedule_of(s, kind), &s->cursors[kind], now_ns)
                           : 0;
    }
}

/* Rate that this rank offered in the step, in requests per second; 0: it has no schedule. */
static double offered_rate(struct steps *s, enum load_kind kind, uint64_t now_ns)
{
    const struct arrivals *a = schedule_of(s, kind);
    if (!has_schedule(s, kind))
        return 0;
    if (a->how == ARRIVAL_CONSTANT)
        return (double)a->rate / (double)BILLION;
    return (double)(arrivals_due(a, &s->cursors[kind], now_ns) - s->due[kind]) * (double)BILLION /
           (double)(now_ns - s->begin_ns);
}

void steps_stop(struct steps *s, uint64_t now_ns)
{
    if (s->end_ns != 0)
        return;
    s->end_ns = now_ns;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        s->offered[kind] = offered_rate(s, kind, now_ns);
}

/* A rank's report on a step, with times of its own clock. The tallies follow it in the message. */
struct step_figures {
    uint64_t begin_ns;
    uint64_t end_ns;
    double offered[LOAD_KINDS];
};

/* What a meeting of all ranks at the end of a step works on. */
struct step_meeting {
    struct steps *steps;
    struct rank_span span;
    double offered[LOAD_KINDS];
    struct tally *tally; /* room for the tally of one rank */
    bool is_damaged;
};

/* Measures this rank's part of the step. */
static void measure_step(struct steps *s, struct tally *now, struct step_figures *f)
{
    *f = (struct step_figures){.begin_ns = s->begin_ns, .end_ns = s->end_ns};
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        recorders_sum(&s->run->recorders, kind, now);
        tally_subtract(&s->measured[kind], now, &s->before[kind]);
        f->offered[kind] = s->offered[kind];
    }
}

/* Adds a rank's figures. Its clock was compared with rank 0's at the end of the previous step. */
static void add_figures(struct step_meeting *m, unsigned rank, const struct step_figures *f)
{
    const struct ranks *r = &m->steps->coordinator->ranks;
    rank_span_add(&m->span, rank_clock_end(r, rank, f->begin_ns),
                  rank_clock_end(r, rank, f->end_ns));
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        m->offered[kind] += f->offered[kind];
}

/* Adds the report of another rank to that of rank 0. */
static void take_step(void *context, unsigned rank, const void *brought, size_t bytes)
{
    struct step_meeting *m = context;
    struct bundle_reader in = {.at = brought, .bytes = bytes};
    struct step_figures f;
    bool is_whole = rank == 0 || bundle_take(&in, &f, sizeof f);
    if (is_whole && rank > 0)
        add_figures(m, rank, &f);
    for (enum load_kind kind = 0; is_whole && rank > 0 && kind < LOAD_KINDS; kind++) {
        is_whole = bundle_take(&in, m->tally, sizeof *m->tally);
        if (is_whole)
            tally_merge(&m->steps->measured[kind], m->tally);
    }
    m->is_damaged |= !is_whole;
}

static int meet_for_step(struct step_meeting *m, const struct step_figures *mine, struct err *e)
{
    struct steps *s = m->steps;
    struct bundle bundle = {0};
    if (s->coordinator->ranks.number > 0) {
        bundle_put(&bundle, mine, sizeof *mine);
        for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
            bundle_put(&bundle, &s->measured[kind], sizeof *s->measured);
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
    const struct tally *t = &s->measured[kind];
    double elapsed_ns = (double)(m->span.last_end - m->span.first_start + 1);
    double achieved = (double)tally_ended(t) * (double)BILLION / elapsed_ns;
    return (struct step_kind){
        .is_there = s->run->loads[kind].pace != PACE_NONE,
        .requests = tally_ended(t),
        .errors = t->errors,
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
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        step->kinds[kind] = step_kind_of(m, kind);
    return step;
}

int steps_end(struct steps *s, struct step **step, struct err *e)
{
    struct step_figures mine;
    struct step_meeting m = {.steps = s, .tally = malloc(sizeof *m.tally)};
    *step = NULL;
    if (!m.tally)
        return err_system(e, ENOMEM, "memory for a step");
    measure_step(s, m.tally, &mine);
    int rc = meet_for_step(&m, &mine, e);
    if (rc == 0 && s->coordinator->ranks.number == 0) {
        add_figures(&m, 0, &mine);
        *step = add_step(s, &m);
    }
    free(m.tally);
    return rc;
}
