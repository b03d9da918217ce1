#include "bonnie/run.h"

#include <time.h>

#include "bonnie/phase.h"
#include "bonnie/preset.h"

static struct host_facts describe_host(const struct run_context *r)
{
    const struct host *h = r->plan->host;
    return (struct host_facts){
        .name = h->name,
        .kernel = h->kernel[0] ? h->kernel : NULL,
        .c_library = h->c_library[0] ? h->c_library : NULL,
        .cpu_model = h->cpu_model[0] ? h->cpu_model : NULL,
        .cpus = h->cpus,
        .ram_bytes = h->ram_bytes,
        .directory = r->plan->directory,
        .filesystem = r->mount.filesystem[0] ? r->mount.filesystem : NULL,
        .device = r->devices.count > 0 ? r->devices.name : NULL,
        .disk_model = r->disks.model[0] ? r->disks.model : NULL,
        .scheduler = r->disks.scheduler[0] ? r->disks.scheduler : NULL,
        .mount_options = r->mount.options[0] ? r->mount.options : NULL,
    };
}

/* Copies the settings that reports show. */
static void describe_run(const struct run_context *r, struct result *result)
{
    const struct plan *p = plan_whole(r->plan);
    *result = (struct result){
        .version = PACKAGE_VERSION,
        .label = p->label,
        .concurrency = p->workers * r->plan->ranks,
        .ranks = r->plan->ranks,
        .shift = r->shift,
        .seed = p->seed,
        .start_time = time(NULL),
        .host = describe_host(r),
        .preset = p->preset,
        .row = p->row ? p->row->name : NULL,
        .direct = p->direct,
        .sync = p->sync,
        .data = p->contents_name,
        .verify = verify_names[p->verify],
        .cache = p->cache == CACHE_EVICT ? "evict" : "keep",
        .percentiles = p->percentiles,
        .si = p->si,
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
        .sequential_seconds = (double)p->time_ns / 1e9,
        .files_k = p->files.count / 1024,
        .file_kind = p->files.kind,
        .file_max_bytes = p->files.max_bytes,
        .file_min_bytes = p->files.min_bytes,
        .directories = p->files.directories_given,
        .file_chunk_bytes = p->files.chunk_bytes,
    };
}

int run_once(struct run_context *r, uint64_t index, struct result *result, struct err *e)
{
    int rc = 0;
    describe_run(r, result);
    run_context_begin_run(r, index);
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
        if (test == TEST_FIRST_METADATA) /* the metadata tests need the room of the data files */
            for (unsigned i = 0; i < r->plan->workers; i++)
                data_file_release(&r->work[i].data);
        if (r->plan->tests[test])
            rc = phase_run(r, test, &result->tests[test], e);
    }
    return rc;
}
