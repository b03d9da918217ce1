#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bonload/conductor.h"
#include "bonload/driver.h"
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

static void take_slowest(const struct run *run, enum load_kind kind, struct slowest *slowest)
{
    for (unsigned i = 0; i < run->driver_count; i++)
        if (run->drivers[i].load->kind == kind)
            slowest_merge(slowest, &run->drivers[i].slowest);
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
    uint64_t begin_ns = begin_of(c, kind);
    uint64_t end_ns = c->end_ns ? c->end_ns : now_ns;
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
    k->elapsed = seconds_between(begin_ns, c->is_through ? last_end(run, kind) : now_ns);
    k->staggered_ns = c->staggered_ns[kind];
    if (k->pace == PACE_RATE && run->plan->mode == MODE_RATE) {
        double elapsed = measure_offered(c, kind, k, begin_ns, end_ns);
        if (elapsed > k->elapsed)
            k->elapsed = elapsed;
    }
    take_slowest(run, kind, &k->slowest);
    if (run->plan->mode == MODE_SEARCH)
        take_found(c, kind, k);
    return 0;
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

int conductor_result(struct conductor *c, struct result *result, struct err *e)
{
    struct run *run = c->run;
    uint64_t now_ns = clock_ns();
    uint64_t last = 0;
    int rc = 0;
    *result = (struct result){
        .plan = run->plan,
        .run = run,
        .steps = &c->steps,
        .intervals = &c->intervals,
        .timeline = &c->timeline,
        .start_time_ns = c->start_time_ns,
        .cpu_seconds = (double)(cpu_used_ns() - c->cpu_ns) / (double)BILLION,
        .was_stopped = c->was_stopped,
        .is_bad_rate = c->is_bad_rate,
        .is_interim = !c->is_through,
    };
    for (enum load_kind kind = 0; rc == 0 && kind < LOAD_KINDS; kind++) {
        rc = take_kind(c, kind, &result->kinds[kind], now_ns);
        uint64_t end = last_end(run, kind);
        last = end > last ? end : last;
    }
    while (rc == 0 && run->target->ops && run->target->ops[result->op_count]) {
        rc = take_op(run, (unsigned)result->op_count, &result->ops[result->op_count]);
        result->op_count += rc == 0;
    }
    result->elapsed = seconds_between(c->start_ns, c->is_through && last > 0 ? last : now_ns);
    if (rc == 0)
        return 0;
    conductor_release(result);
    return err_system(e, ENOMEM, "memory for the results");
}

void conductor_release(struct result *result)
{
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        free(result->kinds[kind].tally);
    for (size_t i = 0; i < result->op_count; i++)
        free(result->ops[i].tally);
    memset(result, 0, sizeof *result);
}
