#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/conductor.h"
#include "bonload/driver.h"
#include "bonload/gathering.h"
#include "measure/clock.h"
#include "measure/cpu.h"
#include "util/units.h"

/* What a conductor has when the run is over, or so far, put into a result. */

static uint64_t last_end(const struct run *run, enum load_kind kind)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < run->driver_count; i++) {
        uint64_t end = atomic_load(&run->drivers[i].last_end_ns);
        if (run->drivers[i].load->kind == kind && end > last)
            last = end;
    }
    return last;
}

static double seconds_between(uint64_t begin_ns, uint64_t end_ns)
{
    return end_ns > begin_ns ? (double)(end_ns - begin_ns) / (double)BILLION : 0;
}

/* When the figures of a kind begin: its first request could begin, and the warming up was over. */
static uint64_t begin_of(const struct conductor *c, enum load_kind kind)
{
    uint64_t opened_ns = atomic_load(&c->run->loads[kind].opened_ns);
    uint64_t warm_ns = c->run->plan->warmup_ns > 0 ? c->warm_ns : 0;
    return opened_ns > warm_ns ? opened_ns : warm_ns;
}

/*
 * How many requests came due, and in what time: with constant gaps, each has its own gap; with
 * exponential ones it is the time itself.
 */
static double measure_offered(struct conductor *c, enum load_kind kind, struct kind_result *k,
                              uint64_t begin_ns, uint64_t end_ns)
{
    const struct load *load = &c->run->loads[kind];
    const struct arrivals *a = &load->schedules[atomic_load(&load->schedule) % SCHEDULES];
    if (begin_ns == 0 || atomic_load(&load->rate) == 0)
        return 0;
    uint64_t due = arrivals_due(a, &c->cursors[kind], end_ns);
    if (end_ns == atomic_load(&c->run->exhausted_ns) && due > k->begun)
        due--; /* the one for which there was no budget */
    k->due = due - c->warm_due[kind];
    double rate = (double)a->rate / (double)BILLION;
    double elapsed =
        a->how == ARRIVAL_CONSTANT ? (double)k->due / rate : seconds_between(begin_ns, end_ns);
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

/* Puts a long request into words. */
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

static int take_slowest(const struct run *run, enum load_kind kind, struct kind_result *k)
{
    struct slowest slowest = {0};
    int rc = 0;
    for (unsigned i = 0; i < run->driver_count; i++)
        if (run->drivers[i].load->kind == kind)
            slowest_merge(&slowest, &run->drivers[i].slowest);
    for (unsigned i = 0; rc == 0 && i < slowest.count; i++)
        rc = describe_slow(run, &slowest.list[i], k);
    return rc;
}

static void take_reasons(const struct run *run, const struct failures *f, struct reasons_found *r)
{
    char text[REASON_TEXT];
    for (unsigned i = 0; i < FAILURES_MOST; i++) {
        uint64_t count = atomic_load(&f->list[i].count);
        if (count == 0)
            continue;
        run_describe(run, failure_code(&f->list[i]), text, sizeof text);
        reasons_add(r, failure_kind(&f->list[i]), text, count);
    }
}

/* What the search says of one kind. */
static void take_found(const struct conductor *c, enum load_kind kind, struct kind_result *k)
{
    const struct ladder *l = &c->search.ladders[kind];
    k->found_load = l->is_none ? 0 : c->search.is_confirmed ? l->load : l->kept;
    k->found = l->is_none                ? FOUND_NONE
               : !c->search.is_confirmed ? FOUND_UNSURE
               : l->is_most              ? FOUND_MOST
                                         : FOUND_LOAD;
    if (k->found == FOUND_NONE || k->found == FOUND_UNSURE)
        return;
    *k->tally = c->steps.measured[kind];
    k->elapsed = (double)c->steps.list[c->steps.count - 1].elapsed_ns / (double)BILLION;
}

static int take_kind(struct conductor *c, enum load_kind kind, struct kind_result *k,
                     uint64_t now_ns)
{
    const struct run *run = c->run;
    uint64_t end_ns = c->end_ns ? c->end_ns : now_ns;
    k->begin_ns = begin_of(c, kind);
    k->end_ns = c->is_through ? last_end(run, kind) : now_ns;
    k->pace = run->loads[kind].pace;
    k->is_there = k->pace != PACE_NONE;
    k->load = load_of(run, kind);
    k->tally = calloc(1, sizeof *k->tally);
    if (!k->tally)
        return -ENOMEM;
    recorders_sum(&run->recorders, kind, k->tally);
    k->total = tally_ended(k->tally);
    k->total_errors = k->tally->errors;
    k->begun = run_progress(run, kind).begun;
    k->elapsed = seconds_between(k->begin_ns, k->end_ns);
    k->staggered_ns = c->staggered_ns[kind];
    if (k->pace == PACE_RATE && run->plan->mode == MODE_RATE) {
        double elapsed = measure_offered(c, kind, k, k->begin_ns, end_ns);
        if (elapsed > k->elapsed)
            k->elapsed = elapsed;
    }
    return take_slowest(run, kind, k);
}

static int take_op(const struct run *run, unsigned op, struct op_result *to)
{
    to->name = run->target->ops[op];
    to->tally = calloc(1, sizeof *to->tally);
    if (!to->tally)
        return -ENOMEM;
    for (unsigned i = 0; i < run->recorders.count; i++)
        op_tally_merge(to->tally, &run->recorders.list[i].ops[op]);
    return 0;
}

/* What is of the run as a whole. */
static void take_rest(const struct conductor *c, struct result *result, uint64_t now_ns)
{
    const struct run *run = c->run;
    uint64_t last = 0;
    take_reasons(run, &run->failures, &result->failures);
    take_reasons(run, &run->misses, &result->misses);
    if (run->target->verified)
        run->target->verified(run->shared, &result->checked_bytes, &result->damaged);
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        uint64_t end = last_end(run, kind);
        last = end > last ? end : last;
    }
    result->start_ns = c->start_ns;
    result->end_ns = c->is_through && last > 0 ? last : now_ns;
    result->elapsed = seconds_between(result->start_ns, result->end_ns);
    result->reads_written = run->reads_written;
    result->has_written = atomic_load(&run->written.last_ok) > 0;
}

static int take_all(struct conductor *c, struct result *result)
{
    const struct run *run = c->run;
    uint64_t now_ns = clock_ns();
    int rc = 0;
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        rc = take_kind(c, kind, &result->kinds[kind], now_ns);
    while (rc == 0 && run->target->ops && run->target->ops[result->op_count]) {
        rc = take_op(run, (unsigned)result->op_count, &result->ops[result->op_count]);
        result->op_count += rc == 0;
    }
    take_rest(c, result, now_ns);
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
        .was_stopped = c->was_stopped,
        .is_bad_rate = c->is_bad_rate,
        .is_interim = !c->is_through,
    };
    int rc = take_all(c, result);
    if (rc != 0)
        err_system(e, ENOMEM, "memory for the results");
    if (rc == 0 && c->is_through)
        rc = gathering_end(c, result, e);
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++)
        if (p->mode == MODE_SEARCH && p->stripe.index == 0)
            take_found(c, kind, &result->kinds[kind]);
    if (rc != 0)
        result_release(result);
    return rc;
}
