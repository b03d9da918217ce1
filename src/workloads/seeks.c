#include <fcntl.h>

#include "workloads/workload.h"

/*
 * seeks: the workers only see to their files; the seeking itself is done by forked seekers
 * (seekers.h) in all of the files. The job's second step closes the file after that.
 */

static int prepare(void *context, struct err *e)
{
    struct work *w = context;
    struct datafile *d = &w->data;
    int rc = datafile_fill(d, w->scratch, w->pattern, d->bytes, w->buffer, w->buffer_bytes, e);
    if (rc == 0)
        rc = datafile_evict(d, w->plan, e);
    return rc == 0 ? datafile_open(d, w->plan, O_RDWR, USE_BLOCKS, e) : rc;
}

static int finish(void *context, struct err *e)
{
    struct work *w = context;
    return io_close(&w->data.file, e);
}

const struct workload workload_seeks = {
    .title = "Seeking",
    .reads = true,
    .forked = true,
    .job = {.prepare = prepare, .work = finish},
};
