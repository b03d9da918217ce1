#include <errno.h>
#include <fcntl.h>

#include "measure/clock.h"
#include "stop.h"
#include "workloads/workload.h"

/* rewrite: every chunk is read, changed and written back to its place. */

static int prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_have_data(w, w->data.bytes, e);
    return rc == 0 ? datafile_open(&w->data, w->plan, O_RDWR, USE_BLOCKS, e) : rc;
}

static int rewrite_chunk(struct work *w, uint64_t at, struct err *e)
{
    struct datafile *d = &w->data;
    size_t chunk = w->plan->data.chunk_bytes;
    uint64_t start = clock_ns();
    int rc = io_read(&d->file, w->buffer, chunk, at, e);
    if (rc == 0) {
        pattern_fill(w->pattern, w->buffer, chunk, d->number, at, d->generation + 1);
        rc = io_write(&d->file, w->buffer, chunk, at, e);
    }
    samples_add(&w->samples, clock_ns() - start, chunk);
    return rc;
}

static int work(void *context, struct err *e)
{
    struct work *w = context;
    struct datafile *d = &w->data;
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < d->bytes; at += w->plan->data.chunk_bytes) {
        rc = rewrite_chunk(w, at, e);
        if (rc == 0)
            rc = stop_check(e);
    }
    d->generation++;
    if (rc == 0)
        rc = io_sync(&d->file, e);
    int closed = io_close(&d->file, e);
    return rc ? rc : closed;
}

const struct workload workload_rewrite = {
    .title = "Rewriting",
    .reads = true,
    .job = {.prepare = prepare, .work = work},
};
