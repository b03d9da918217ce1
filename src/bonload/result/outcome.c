#include <errno.h>
#include <stdlib.h>

#include "bonload/control/conductor.h"
#include "bonload/result/result.h"
#include "measure/clock.h"
#include "measure/cpu.h"
#include "util/units.h"

double seconds_between(uint64_t begin_ns, uint64_t end_ns)
{
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)BILLION : 0;
}

/*
 * Sets what became due until end_ns, and the rate of that. The time for it is, with constant gaps,
 * one gap for each request; with exponential gaps, the elapsed time. k->elapsed is at least as
 * long.
 */
static void fill_offered(struct conductor *c, enum load_kind kind, uint64_t end_ns,
                         struct kind_result *k)
{
    const struct load *load = &c->run->loads[kind];
    const struct arrivals *a = load_schedule(load);
    if (k->begin_ns == 0 || atomic_load(&load->rate) == 0)
        return;
    uint64_t due = arrivals_due(a, c->backlog.cursors[kind], end_ns);
    if (end_ns == atomic_load(&c->run->exhausted_ns) && due > k->begun)
        due--; /* the budget did not allow the last one */
    k->due = due;
    double rate = (double)a->rate / (double)BILLION;
    double elapsed = a->how == ARRIVAL_CONSTANT && !a->course
                         ? (double)k->due / rate
                         : seconds_between(k->begin_ns, end_ns);
    k->offered = elapsed > 0 ? (double)k->due / elapsed : 0;
    if (elapsed > k->elapsed)
        k->elapsed = elapsed;
}

/* Describes a slow request. Returns false when memory runs out. */
static bool describe_slow(const struct run *run, const struct slow_request *s,
                          struct slow_results *all)
{
    struct slow_result slow = {
        .response_ns = s->response_ns,
        .at_seconds = seconds_between(run->start_ns, s->due_ns),
        .op = s->op,
        .outcome = "ok",
        .name = malloc(run->names.longest + 1),
    };
    if (!slow.name)
        return false;
    names_format(&run->names, s->number, slow.name);
    if (s->failure != 0)
        run->target->describe(run->shared, s->failure, slow.outcome, sizeof slow.outcome);
    result_add_slow(all, &slow);
    return true;
}

/* Describes the slowest requests of a kind. Returns false when memory runs out. */
static bool fill_slowest(const struct conductor *c, enum load_kind kind, struct result *result)
{
    struct slowest slowest = {0};
    uint64_t since_ns = 0;
    if (result->is_of_last_load)
        since_ns = c->steps.current.begin_ns; /* when the last load had settled */
    else
        slowest_merge(&slowest, &c->earlier[kind]);
    crew_add_slowest(&c->crew, kind, &slowest);
    for (unsigned i = 0; i < slowest.count; i++)
        if (slowest.list[i].due_ns >= since_ns &&
            !describe_slow(c->run, &slowest.list[i], &result->slowest[kind]))
            return false;
    return true;
}

/* Describes all failures, except those in `before`. */
static void fill_reasons(const struct run *run, const struct failures *f,
                         const struct failures *before, struct reasons_found *r)
{
    char text[REASON_TEXT];
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        uint64_t count = atomic_load(&f->list[i].count) - atomic_load(&before->list[i].count);
        if (count == 0)
            continue;
        run->target->describe(run->shared, failure_code(&f->list[i]), text, sizeof text);
        reasons_add(r, failure_kind(&f->list[i]), text, count);
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        r->others[kind] += atomic_load(&f->others[kind]) - atomic_load(&before->others[kind]);
}

/* When the last request of a kind has ended; now_ns: the run goes on. */
static uint64_t last_end(const struct conductor *c, enum load_kind kind, uint64_t now_ns)
{
    return c->stage == STAGE_OVER ? crew_last_end(&c->crew, kind) : now_ns;
}

static void fill_kind(struct conductor *c, enum load_kind kind, uint64_t now_ns,
                      bool is_of_last_load, struct kind_result *k)
{
    const struct run *run = c->run;
    struct step_counts *counts = c->steps.counts;
    uint64_t opened_ns = atomic_load(&run->loads[kind].opened_ns);
    k->begin_ns = opened_ns > 0 && opened_ns < c->start_ns ? c->start_ns : opened_ns;
    k->end_ns = last_end(c, kind, now_ns);
    recorders_sum(&run->recorders, kind, &k->tally);
    k->made = tally_ended(&k->tally);
    k->made_errors = k->tally.failed.count;
    k->begun = crew_progress(&c->crew, kind).begun;
    if (is_of_last_load) {
        counts->other = k->tally;
        tally_subtract(&k->tally, &counts->other, &counts->before[kind]);
        k->begin_ns = c->steps.current.begin_ns;
        k->end_ns = c->steps.current.end_ns;
    }
    k->elapsed = seconds_between(k->begin_ns, k->end_ns);
    k->staggered_ns = c->backlog.staggered_ns[kind];
    if (run->plan->mode == MODE_RATE && run->loads[kind].pace == PACE_RATE)
        fill_offered(c, kind, c->end_ns ? c->end_ns : now_ns, k);
}

/* Sets the counts of all operations. Returns false when memory runs out. */
static bool fill_ops(const struct conductor *c, struct result *result)
{
    struct op_tally *whole = malloc(sizeof *whole);
    if (!whole)
        return false;
    for (unsigned i = 0; i < result->op_count; i++) {
        struct op_tally *t = &result->figures->ops[i];
        recorders_sum_op(&c->run->recorders, i, whole);
        if (result->is_of_last_load)
            op_tally_subtract(t, whole, &c->steps.counts->ops[i]);
        else
            *t = *whole;
    }
    free(whole);
    return true;
}

/* Sets the figures that are not about one kind, when those are known. */
static void fill_rest(const struct conductor *c, struct result *result, uint64_t now_ns)
{
    const struct run *run = c->run;
    static const struct failures none;
    struct figures *f = result->figures;
    bool is_last = result->is_of_last_load;
    const struct failures *before = is_last ? &c->steps.failures : &none;
    struct traffic traffic[LOAD_KINDS];
    unsigned first = 0;
    fill_reasons(run, &run->failures, before, &f->failures);
    fill_reasons(run, &run->misses, is_last ? &c->steps.misses : &none, &f->misses);
    f->checked_bytes = atomic_load(&run->verified.bytes);
    f->damaged = atomic_load(&run->verified.damaged);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        uint64_t end_ns = last_end(c, kind, now_ns);
        f->end_ns = end_ns > f->end_ns ? end_ns : f->end_ns;
        const struct tally *t = &f->kinds[kind].tally;
        traffic[kind] = (struct traffic){
            .bytes = t->bytes,
            .median_ns = histogram_percentile(tally_service(t), 50),
        };
    }
    if (f->end_ns == 0)
        f->end_ns = now_ns;
    f->start_ns = c->start_ns;
    f->was_stopped = c->was_stopped;
    f->is_bad_rate = c->is_bad_rate;
    f->could_read = !run->reads_written || atomic_load(&run->written.last_ok) > 0;
    f->machine = conductor_machine(c, SPAN_RUN);
    backing_use(is_last ? &c->load_backing : &c->backing, now_ns, traffic, &result->backing);
    while (first < FAILURES_MOST - 1 &&
           atomic_load(&run->failures.list[first].count) == atomic_load(&before->list[first].count))
        first++;
    if (f->failures.count > 0)
        result->first_failure = run_tell_failure(run, &run->failures.list[first]);
}

/* Sets the figures of this rank. Returns false when memory runs out. */
static bool fill_result(struct conductor *c, struct result *result)
{
    const struct run *run = c->run;
    uint64_t now_ns = clock_ns();
    uint64_t cpu_ns = cpu_used_ns(); /* before adding up takes its share */
    *result = (struct result){
        .plan = run->plan,
        .steps = &c->steps,
        .intervals = &c->intervals,
        .timeline = &c->timeline,
        .start_time_ns = c->start_time_ns,
        .is_of_last_load = run->plan->mode == MODE_SEARCH && c->has_all_steps,
        .is_exhausted = atomic_load(&run->exhausted_ns) != 0,
        .is_hopeless = c->is_hopeless,
        .is_interim = c->stage != STAGE_OVER,
        .is_warmup = c->stage < STAGE_STEP,
    };
    if (!result_open(result))
        return false;
    result->figures->cpu_seconds = (double)(cpu_ns - c->cpu_ns) / (double)BILLION;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        fill_kind(c, kind, now_ns, result->is_of_last_load, &result->figures->kinds[kind]);
    fill_rest(c, result, now_ns);
    return fill_ops(c, result) && fill_slowest(c, LOAD_WRITE, result) &&
           fill_slowest(c, LOAD_READ, result);
}

/* Sets what a search has found for one kind. */
static void fill_answer(const struct conductor *c, enum load_kind kind, struct result *result)
{
    struct kind_result *k = &result->figures->kinds[kind];
    const struct counts whole = recorders_counts(&c->run->recorders, kind);
    k->answer = search_answer(&c->steering.search, kind, &whole);
    if (result->plan->kinds[kind].pace == PACE_FOLLOWS)
        k->answer.load = result->plan->kinds[kind].channels;
}

/* Sets what a kind's figures say, when those of all ranks are known. */
static int judge_kind(struct conductor *c, enum load_kind kind, struct result *result,
                      struct err *e)
{
    const struct plan *p = result->plan;
    const struct latency_limit *above = &p->settings->fail_above;
    struct kind_result *k = &result->figures->kinds[kind];
    int rc = 0;
    if (!result->is_interim && plan_has(p, kind))
        rc = explainer_sum_up(c->explainer, kind, &k->tally, &result->tails[kind], e);
    if (p->settings->fail_above.nanoseconds > 0)
        result->is_above |= latency_limit_figure(above, &k->tally.response) > above->nanoseconds;
    if (p->mode == MODE_SEARCH && p->stripe.index == 0)
        fill_answer(c, kind, result);
    return rc;
}

int conductor_result(struct conductor *c, struct result *result, struct err *e)
{
    int rc = 0;
    if (!fill_result(c, result))
        rc = err_system(e, ENOMEM, "memory for the results");
    if (rc == 0 && c->stage == STAGE_OVER)
        rc = gathering_end(c->coordinator, result, e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        rc = judge_kind(c, kind, result, e);
    if (rc != 0)
        result_release(result);
    return rc;
}
