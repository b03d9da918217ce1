#include "run.h"

#include <time.h>

#include "phase.h"

static struct host_facts describe_host(const struct rig *r)
{
    const struct host *h = r->plan->host;
    return (struct host_facts){
        .name = h->name,
        .kernel = h->kernel[0] ? h->kernel : NULL,
        .cpu_model = h->cpu_model[0] ? h->cpu_model : NULL,
        .cpus = h->cpus,
        .ram_bytes = h->ram_bytes,
        .directory = r->plan->directory,
        .filesystem = r->place.filesystem[0] ? r->place.filesystem : NULL,
        .device = r->devices.count > 0 ? r->devices.name : NULL,
    };
}

/* The settings that the reports show. */
static void describe(const struct rig *r, struct result *result)
{
    const struct plan *p = r->plan;
    *result = (struct result){
        .version = PACKAGE_VERSION,
        .label = p->label,
        .concurrency = p->workers,
        .seed = p->seed,
        .start_time = time(NULL),
        .host = describe_host(r),
        .preset = p->preset,
        .direct = p->direct,
        .sync = p->sync,
        .data = p->contents_name,
        .verify = verify_names[p->verify],
        .cache = p->cache == CACHE_EVICT ? "evict" : "keep",
        .min_seconds = (double)p->min_time_ns / 1e9,
        .data_bytes = p->data.bytes,
        .chunk_bytes = p->data.chunk_bytes,
        .seeks = p->data.seeks,
        .seekers = p->data.seekers,
        .engine = p->engine.ops->name,
        .iodepth = p->engine.depth,
        .iops_block_bytes = p->iops.block_bytes,
        .iops_write_percent = p->iops.write_percent,
        .iops_seconds = (double)p->iops.duration_ns / 1e9,
        .iops_theta = p->iops.theta,
        .files_k = p->files.count / 1024,
        .file_kind = p->files.kind,
        .file_max_bytes = p->files.max_bytes,
        .file_min_bytes = p->files.min_bytes,
        .directories = p->files.directories_given,
        .file_chunk_bytes = p->files.chunk_bytes,
    };
}

int run_once(struct rig *r, struct result *result, struct err *e)
{
    int rc = 0;
    describe(r, result);
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
        if (test == TEST_FIRST_METADATA) /* make room */
            for (unsigned i = 0; i < r->plan->workers; i++)
                datafile_release(&r->work[i].data);
        if (r->plan->tests[test])
            rc = phase_run(r, test, &result->tests[test], e);
    }
    return rc;
}
