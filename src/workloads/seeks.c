#include <fcntl.h>

#include "workloads/workload.h"

/*
 * seeks: the workers only see to their files; the seeking itself is done by forked seekers
 * (seekers.h) in all of the files. The job's second step makes durable what they changed, and
 * closes the file.
 */

static int prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_have_data(w, w->data.bytes, e);
    return rc == 0 ? datafile_open(&w->data, w->plan, O_RDWR, USE_BLOCKS, e) : rc;
}

static int finish(void *context, struct err *e)
{
    struct work *w = context;
    int rc = io_sync(&w->data.file, e);
    int closed = io_close(&w->data.file, e);
    return rc ? rc : closed;
}

const struct workload workload_seeks = {
    .title = "Seeking",
    .reads = true,
    .forked = true,
    .job = {.prepare = prepare, .work = finish},
};
