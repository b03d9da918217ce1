#include "bonnie/phase_tail.h"

static void latencies_of_test(const void *counts, struct histogram *sum)
{
    shared_stats_latencies(counts, sum);
}

int phase_tail_begin(struct run_context *r, const struct workload *w, struct err *e)
{
    const struct plan *p = r->plan;
    if (!p->explains_tail || !w->uses_engine || w->forked)
        return 0;
    const struct examiner_setup setup = {
        .trace = &r->helpers->trace,
        .kinds = {{.workers = p->workers, .latencies = latencies_of_test, .counts = &r->stats}},
        .kind_count = 1,
        .boxes = r->slow,
        .devices = &r->devices,
        .filesystem = r->mount.filesystem,
        .limit = &r->limit,
        .is_queued = p->engine.depth > 1,
        .is_buffered = !p->direct,
    };
    return examiner_start(&r->examiner, &setup, e);
}

int phase_tail_end(struct run_context *r, struct tail_summary *tail, int rc, struct err *e)
{
    examiner_stop(r->examiner);
    if (rc == 0 && r->examiner)
        rc = examiner_sum_up(r->examiner, 0, &r->total->latencies, tail, e);
    examiner_free(r->examiner);
    r->examiner = NULL;
    return rc;
}
