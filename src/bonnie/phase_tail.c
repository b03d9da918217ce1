#include "bonnie/phase_tail.h"

int phase_tail_begin(struct run_context *r, const struct workload *w, struct err *e)
{
    const struct plan *p = r->plan;
    if (!p->explains_tail || !w->uses_engine || w->forked)
        return 0;
    const struct examiner_setup setup = {
        .trace = &r->helpers->trace,
        .stats = &r->stats,
        .boxes = r->slow,
        .count = p->workers,
        .devices = &r->devices,
        .limit = &r->limit,
        .is_queued = p->engine.depth > 1,
        .is_buffered = !p->direct,
    };
    return examiner_start(&r->examiner, &setup, e);
}

int phase_tail_end(struct run_context *r, struct tail_summary *tail, int rc, struct err *e)
{
    struct tail_summary *wanted = rc == 0 && r->examiner ? tail : NULL;
    int ended = examiner_end(r->examiner, &r->total->latencies, wanted, e);
    r->examiner = NULL;
    return rc ? rc : ended;
}
