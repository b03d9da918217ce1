#include "bonnie/phase_verdict.h"

#include "bonnie/workloads/workload.h"
#include "measure/bottleneck.h"

/*
 * The share of the data that was in the page cache, in percent; 0 for direct transfers, which
 * bypass it.
 */
static double resident_percent(const struct test_result *t, const struct workload *w)
{
    bool uses_cache = w->reads && t->cache.known && !t->direct;
    return uses_cache ? t->cache.resident_percent_before : 0;
}

static struct evidence evidence_of(const struct test_result *t, const struct workload *w,
                                   const struct run_context *r, const struct test_figures *f)
{
    struct bytes_asked asked = workload_asked(w, r->plan, t->bytes);
    return (struct evidence){
        .elapsed_ns = t->elapsed_ns,
        .cpu_ns = t->cpu_ns,
        .busiest = f->busiest,
        .cpus = f->cpus,
        .workers = t->workers,
        .read_bytes = asked.read,
        .written_bytes = asked.written,
        .resident_percent = resident_percent(t, w),
        .filesystem = r->mount.filesystem[0] ? r->mount.filesystem : NULL,
        .is_stored = !w->uses_engine || plan_stores(r->plan),
        .computes = w->unit == UNIT_PERCHAR_BLOCK,
        .device = t->device,
        .limit = f->limit,
    };
}

static struct advice_facts facts_of(const struct test_result *t, enum test_id test,
                                    const struct run_context *r)
{
    const struct plan *p = r->plan;
    const struct engine_ops *engine = p->engine.ops;
    return (struct advice_facts){
        .test = test,
        .workers = t->workers,
        .iodepth = t->iodepth,
        .cpus = p->host->cpus,
        .operation_bytes = t->chunk_bytes,
        .is_direct = t->direct,
        .is_durable = p->sync,
        .engine_queues = engine->capabilities & ENGINE_QUEUES,
        .engine_needs_direct = engine->capabilities & ENGINE_NEEDS_DIRECT,
        .evicts = p->cache == CACHE_EVICT,
        .is_compressible = p->contents != DATA_RANDOM,
        .lacks_journal = r->mount.lacks_journal,
    };
}

void phase_verdict(struct test_result *t, enum test_id test, const struct run_context *r,
                   const struct test_figures *f)
{
    const struct evidence evidence = evidence_of(t, workload_of(test), r, f);
    const struct advice_facts facts = facts_of(t, test, r);
    struct judgement judgement;
    bottleneck_judge(&judgement, &evidence);
    t->waited_for_cpu_percent = judgement.waited_percent;
    verdict_of_test(&t->verdict, &judgement, &facts, evidence.filesystem);
}
