// SPDX-License-Identifier: GPL-2.0-or-later
#include "bonload/control/explainer.h"

_Static_assert((int)LOAD_KINDS <= (int)EXAMINER_KINDS, "reads and writes are judged apart");

int explainer_open(struct explainer *x, struct err *e)
{
    *x = (struct explainer){0};
    return tail_trace_open(&x->trace, e);
}

static bool is_wanted(const struct explainer *x)
{
    return x && x->trace.is_wanted;
}

void explainer_close(struct explainer *x)
{
    examiner_free(x->examiner);
    examiner_free_boxes(x->boxes, x->workers[LOAD_WRITE] + x->workers[LOAD_READ]);
    tail_trace_close(&x->trace);
    *x = (struct explainer){0};
}

int explainer_equip(struct explainer *x, struct crew *c, struct err *e)
{
    if (!is_wanted(x))
        return 0;
    x->run = c->run;
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++)
        x->workers[kind] = c->run->loads[kind].shares;
    int rc = examiner_make_boxes(&x->boxes, c->count, e);
    for (unsigned i = 0; rc == 0 && i < c->count; i++)
        c->list[i].slow = &x->boxes[i]; /* those of one kind follow one another */
    return rc;
}

/* Runs in the examiner. */
static void latencies_of_kind(const void *counts, struct histogram *sum)
{
    const struct counted *c = counts;
    recorders_sum_times(&c->run->recorders, c->kind, c->run->rules.has_service, sum);
}

int explainer_begin(struct explainer *x, const struct backing *b, struct err *e)
{
    if (!is_wanted(x))
        return 0;
    struct examiner_setup setup = {
        .trace = &x->trace,
        .kind_count = LOAD_KINDS,
        .boxes = x->boxes,
        .devices = &b->devices,
        .filesystem = b->mount.filesystem,
        .limit = &x->limit,
        .is_buffered = !x->run->plan->settings->direct,
    };
    for (enum load_kind kind = 0; kind < LOAD_KINDS; kind++) {
        x->counted[kind] = (struct counted){.run = x->run, .kind = kind};
        setup.kinds[kind] = (struct examiner_kind){
            .workers = x->workers[kind],
            .latencies = latencies_of_kind,
            .counts = &x->counted[kind],
        };
    }
    io_limit_find(&x->limit, &b->devices);
    return examiner_start(&x->examiner, &setup, e);
}

int explainer_sum_up(struct explainer *x, enum load_kind kind, const struct tally *t,
                     struct tail_summary *summary, struct err *e)
{
    if (!is_wanted(x) || !x->examiner)
        return 0;
    examiner_stop(x->examiner);
    return examiner_sum_up(x->examiner, kind, tally_service(t), summary, e);
}
