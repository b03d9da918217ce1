#include "bonnie/precondition.h"

#define TITLE "Preconditioning"

static int write_once(struct run_context *r, struct err *e)
{
    const struct task *writing = &workload_put_block.task;
    struct task_times unused;
    for (unsigned i = 0; i < r->plan->workers; i++) {
        r->work[i].lap_ns = 0;
        r->work[i].lap_start = 0;
    }
    int rc = thread_pool_prepare(&r->pool, writing, e);
    if (rc == 0)
        rc = thread_pool_work(&r->pool, &unused, e);
    for (unsigned i = 0; i < r->plan->workers; i++)
        work_release(&r->work[i]);
    return rc;
}

int precondition(struct run_context *r, struct err *e)
{
    unsigned times = r->plan->steady.precondition;
    int rc = 0;
    if (times == 0)
        return 0;
    progress_lines_begin(&r->progress, TITLE);
    for (unsigned i = 0; rc == 0 && i < times; i++)
        rc = write_once(r, e);
    if (rc == 0)
        progress_lines_done(&r->progress, TITLE, NULL);
    else
        progress_lines_break(&r->progress);
    return rc;
}
