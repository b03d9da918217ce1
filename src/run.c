#include "run.h"

#include <time.h>

#include "phase.h"

/* The settings that the reports show. */
static void describe(const struct plan *p, struct result *result)
{
    *result = (struct result){
        .version = PACKAGE_VERSION,
        .label = p->label,
        .concurrency = p->workers,
        .seed = p->seed,
        .data_bytes = p->data.bytes,
        .chunk_bytes = p->data.chunk_bytes,
        .seeks = p->data.seeks,
        .seekers = p->data.seekers,
        .engine = p->engine.ops->name,
        .iodepth = p->engine.depth,
        .iops_block_bytes = p->iops.block_bytes,
        .iops_write_percent = p->iops.write_percent,
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
    describe(r->plan, result);
    for (enum test_id test = 0; rc == 0 && test < TEST_COUNT; test++) {
        if (test == TEST_FIRST_METADATA) /* make room */
            for (unsigned i = 0; i < r->plan->workers; i++)
                datafile_release(&r->work[i].data);
        if (r->plan->tests[test])
            rc = phase_run(r, test, &result->tests[test], e);
    }
    return rc;
}
