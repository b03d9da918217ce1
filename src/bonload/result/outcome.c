#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/control/conductor.h"
#include "bonload/result/gathering.h"
#include "measure/clock.h"
#include "measure/cpu.h"
#include "util/units.h"

static double seconds_between(uint64_t begin_ns, uint64_t end_ns)
{
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)BILLION : 0;
}

/* When the figures of a kind begin: from then on a request could begin, and counted. */
static uint64_t begin_of(const struct conductor *c, enum load_kind kind)
{
    uint64_t opened_ns = atomic_load(&c->run->loads[kind].opened_ns);
    return opened_ns > 0 && opened_ns < c->start_ns ? c->start_ns : opened_ns;
}

/*
 * Returns the number of requests that became due, and sets the time for them: with constant gaps,
 * one gap for each request; with exponential gaps, the elapsed time.
 */
static double measure_offered(struct conductor *c, enum load_kind kind, struct kind_result *k,
                              uint64_t begin_ns, uint64_t end_ns)
{
    const struct load *load = &c->run->loads[kind];
    const struct arrivals *a = &load->schedules[atomic_load(&load->schedule) % SCHEDULES];
    if (begin_ns == 0 || atomic_load(&load->rate) == 0)
        return 0;
    uint64_t due = arrivals_due(a, &c->backlog.cursors[kind], end_ns);
    if (end_ns == atomic_load(&c->run->exhausted_ns) && due > k->begun)
        due--; /* the budget did not allow the last one */
    k->due = due;
    double rate = (double)a->rate / (double)BILLION;
    double elapsed = a->how == ARRIVAL_CONSTANT && !a->course ? (double)k->due / rate
                                                              : seconds_between(begin_ns, end_ns);
    k->offered = elapsed > 0 ? (double)k->due / elapsed : 0;
    return elapsed;
}

static double load_of(const struct run *run, enum load_kind kind)
{
    const struct load *load = &run->loads[kind];
    if (load->pace == PACE_RATE)
        return (double)run->plan->kinds[kind].rate / (double)BILLION;
    return load->pace == PACE_CLOSED ? run->plan->kinds[kind].threads : 0;
}

/* Describes a slow request. Returns 0 or a negative errno. */
static int describe_slow(const struct run *run, const struct slow_request *s, struct kind_result *k)
{
    char text[REASON_TEXT] = "ok";
    char *name = malloc(run->names.longest + 1);
    if (!name)
        return -ENOMEM;
    names_format(&run->names, s->number, name);
    if (s->failure != 0)
        run_describe(run, s->failure, text, sizeof text);
    const struct slow_result slow = {
        .response_ns = s->response_ns,
        .at_seconds = seconds_between(run->start_ns, s->due_ns),
        .op = s->op,
        .name = name,
        .outcome = strdup(text),
    };
    result_add_slow(k, &slow);
    return slow.outcome ? 0 : -ENOMEM;
}

/*
 * Whether the figures cover only the last load, as after a complete search, and not the whole run.
 */
static bool is_of_last_load(const struct conductor *c)
{
    return c->run->plan->mode == MODE_SEARCH && c->has_all_steps;
}

static int fill_slowest(const struct conductor *c, enum load_kind kind, struct kind_result *k)
{
    struct slowest slowest = {0};
    if (!is_of_last_load(c))
        slowest_merge(&slowest, &c->earlier[kind]);
    int rc = 0;
    crew_add_slowest(&c->crew, kind, &slowest);
    /* when the last load had settled */
    uint64_t since_ns = is_of_last_load(c) ? c->steps.begin_ns : 0;
    for (unsigned i = 0; rc == 0 && i < slowest.count; i++)
        if (slowest.list[i].due_ns >= since_ns)
            rc = describe_slow(c->run, &slowest.list[i], k);
    return rc;
}

/* Describes all failures, except those in `before`; NULL: there are none of these. */
static void fill_reasons(const struct run *run, const struct failures *f,
                         const struct failures *before, struct reasons_found *r)
{
    char text[REASON_TEXT];
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        uint64_t count =
            atomic_load(&f->list[i].count) - (before ? atomic_load(&before->list[i].count) : 0);
        if (count == 0)
            continue;
        run_describe(run, failure_code(&f->list[i]), text, sizeof text);
        reasons_add(r, failure_kind(&f->list[i]), text, count);
    }
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        r->others[kind] +=
            atomic_load(&f->others[kind]) - (before ? atomic_load(&before->others[kind]) : 0);
}

/* Sets what a search has found for one kind. */
static void fill_found(const struct conductor *c, enum load_kind kind, struct kind_result *k)
{
    const struct counts whole = recorders_counts(&c->run->recorders, kind);
    const struct search_answer answer = search_answer(&c->steering.search, kind, &whole);
    k->found_load = k->pace == PACE_FOLLOWS ? c->run->plan->kinds[kind].channels : answer.load;
    k->found = answer.found;
    if (!is_of_last_load(c))
        return;
    *k->tally = c->steps.measured[kind];
    k->elapsed = (double)c->steps.list[c->steps.count - 1].elapsed_ns / (double)BILLION;
    k->total = tally_ended(k->tally);
    k->total_errors = k->tally->errors;
}

static int result_of_kind(struct conductor *c, enum load_kind kind, struct kind_result *k,
                          uint64_t now_ns)
{
    const struct run *run = c->run;
    uint64_t end_ns = c->end_ns ? c->end_ns : now_ns;
    k->begin_ns = begin_of(c, kind);
    k->end_ns = c->stage == STAGE_OVER ? crew_last_end(&c->crew, kind) : now_ns;
    k->pace = run->loads[kind].pace;
    k->is_there = k->pace != PACE_NONE;
    k->load = load_of(run, kind);
    k->tally = calloc(1, sizeof *k->tally);
    if (!k->tally)
        return -ENOMEM;
    recorders_sum(&run->recorders, kind, k->tally);
    k->total = tally_ended(k->tally);
    k->total_errors = k->tally->errors;
    k->begun = crew_progress(&c->crew, kind).begun;
    k->elapsed = seconds_between(k->begin_ns, k->end_ns);
    k->staggered_ns = c->backlog.staggered_ns[kind];
    if (k->pace == PACE_RATE && run->plan->mode == MODE_RATE) {
        double elapsed = measure_offered(c, kind, k, k->begin_ns, end_ns);
        if (elapsed > k->elapsed)
            k->elapsed = elapsed;
    }
    return fill_slowest(c, kind, k);
}

static int result_of_op(const struct conductor *c, unsigned op, struct op_result *to)
{
    const struct run *run = c->run;
    to->name = run->target->ops[op];
    struct op_tally *whole = malloc(sizeof *whole);
    to->tally = malloc(sizeof *to->tally);
    int rc = whole && to->tally ? 0 : -ENOMEM;
    if (rc == 0 && is_of_last_load(c)) {
        recorders_sum_op(&run->recorders, op, whole);
        op_tally_subtract(to->tally, whole, &c->steps.ops[op]);
    } else if (rc == 0) {
        recorders_sum_op(&run->recorders, op, to->tally);
    }
    free(whole);
    if (rc != 0)
        free(to->tally);
    return rc;
}

/* Sets the figures that are not about one kind. */
static void fill_rest(const struct conductor *c, struct result *result, uint64_t now_ns)
{
    const struct run *run = c->run;
    uint64_t last = 0;
    bool is_last = is_of_last_load(c);
    fill_reasons(run, &run->failures, is_last ? &c->steps.failures : NULL, &result->failures);
    fill_reasons(run, &run->misses, is_last ? &c->steps.misses : NULL, &result->misses);
    if (run->target->verified)
        run->target->verified(run->shared, &result->checked_bytes, &result->damaged);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        uint64_t end = crew_last_end(&c->crew, kind);
        last = end > last ? end : last;
    }
    result->start_ns = c->start_ns;
    result->end_ns = c->stage == STAGE_OVER && last > 0 ? last : now_ns;
    result->elapsed = seconds_between(result->start_ns, result->end_ns);
    result->reads_written = run->reads_written;
    result->has_written = atomic_load(&run->written.last_ok) > 0;
}

/* Sets what the devices did, and the first failure. */
static void fill_backing(const struct conductor *c, struct result *result, uint64_t now_ns)
{
    const struct run *run = c->run;
    uint64_t bytes[LOAD_KINDS];
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        bytes[kind] = result->kinds[kind].tally->bytes;
    backing_use(&c->backing, now_ns, bytes, &result->backing);
    if (atomic_load(&run->failures.list[0].count) > 0)
        result->first_failure = run_tell_failure(run, &run->failures.list[0]);
}

static int fill_result(struct conductor *c, struct result *result)
{
    const struct run *run = c->run;
    uint64_t now_ns = clock_ns();
    int rc = 0;
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        rc = result_of_kind(c, kind, &result->kinds[kind], now_ns);
    while (rc == 0 && run->target->ops && run->target->ops[result->op_count]) {
        rc = result_of_op(c, (unsigned)result->op_count, &result->ops[result->op_count]);
        result->op_count += rc == 0;
    }
    fill_rest(c, result, now_ns);
    if (rc == 0)
        fill_backing(c, result, now_ns);
    return rc;
}

int conductor_result(struct conductor *c, struct result *result, struct err *e)
{
    const struct plan *p = c->run->plan;
    *result = (struct result){
        .plan = p,
        .steps = &c->steps,
        .intervals = &c->intervals,
        .timeline = &c->timeline,
        .start_time_ns = c->start_time_ns,
        .cpu_seconds = (double)(cpu_used_ns() - c->cpu_ns) / (double)BILLION,
        .is_of_last_load = is_of_last_load(c),
        .was_stopped = c->was_stopped,
        .is_exhausted = atomic_load(&c->run->exhausted_ns) != 0,
        .is_bad_rate = c->is_bad_rate,
        .is_hopeless = c->outlook.is_hopeless,
        .is_interim = c->stage != STAGE_OVER,
    };
    int rc = fill_result(c, result);
    if (rc != 0)
        err_system(e, ENOMEM, "memory for the results");
    if (rc == 0 && c->stage == STAGE_OVER)
        rc = gathering_end(c, result, e);
    for (enum load_kind kind = 0; rc == 0 && !result->is_interim && kind < LOAD_KINDS; kind++)
        if (result->kinds[kind].is_there)
            rc = explainer_sum_up(c->explainer, kind, result->kinds[kind].tally,
                                  &result->kinds[kind].tail, e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++) {
        result->kinds[kind].made = result->kinds[kind].total;
        result->kinds[kind].made_errors = result->kinds[kind].total_errors;
        result->is_above |=
            p->settings->has_fail_above &&
            latency_limit_figure(&p->settings->fail_above, &result->kinds[kind].tally->response) >
                p->settings->fail_above.nanoseconds;
        if (p->mode == MODE_SEARCH && p->stripe.index == 0)
            fill_found(c, kind, &result->kinds[kind]);
    }
    if (rc != 0)
        result_release(result);
    return rc;
}
