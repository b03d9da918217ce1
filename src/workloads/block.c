#include <errno.h>
#include <fcntl.h>

#include "measure/clock.h"
#include "stop.h"
#include "workloads/workload.h"

/* put_block and get_block: the whole data set in chunks, from the first to the last. */

static int put_prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = datafile_empty(&w->data, w->scratch, e);
    return rc == 0 ? datafile_open(&w->data, w->plan, O_WRONLY, USE_BLOCKS, e) : rc;
}

static int put_work(void *context, struct err *e)
{
    struct work *w = context;
    struct datafile *d = &w->data;
    size_t chunk = w->plan->data.chunk_bytes;
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < d->bytes; at += chunk) {
        pattern_fill(w->pattern, w->buffer, chunk, d->number, at, d->generation);
        uint64_t start = clock_ns();
        rc = io_write(&d->file, w->buffer, chunk, at, e);
        samples_add(&w->samples, clock_ns() - start, chunk);
        d->valid_bytes = at + chunk;
        if (rc == 0)
            rc = stop_check(e);
    }
    if (rc == 0)
        rc = io_sync(&d->file, e);
    int closed = io_close(&d->file, e);
    return rc ? rc : closed;
}

static int get_prepare(void *context, struct err *e)
{
    struct work *w = context;
    int rc = work_have_data(w, w->data.bytes, e);
    return rc == 0 ? datafile_open(&w->data, w->plan, O_RDONLY, USE_BLOCKS, e) : rc;
}

static int get_work(void *context, struct err *e)
{
    struct work *w = context;
    struct datafile *d = &w->data;
    size_t chunk = w->plan->data.chunk_bytes;
    int rc = 0;
    for (uint64_t at = 0; rc == 0 && at < d->bytes; at += chunk) {
        uint64_t start = clock_ns();
        rc = io_read(&d->file, w->buffer, chunk, at, e);
        samples_add(&w->samples, clock_ns() - start, chunk);
        if (rc == 0)
            rc = stop_check(e);
    }
    int closed = io_close(&d->file, e);
    return rc ? rc : closed;
}

const struct workload workload_put_block = {
    .title = "Writing in chunks",
    .job = {.prepare = put_prepare, .work = put_work},
};

const struct workload workload_get_block = {
    .title = "Reading in chunks",
    .reads = true,
    .job = {.prepare = get_prepare, .work = get_work},
};
